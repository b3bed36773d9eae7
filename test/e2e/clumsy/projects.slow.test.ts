/** Projects that no workspace can be made of, and projects that look odd and work. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  chownSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { whichSync } from '../which.ts';
import { ClumsyWorld, folder, NO_ACCOUNT, testClumsyCases } from './clumsy-world.ts';

const CONFIG = JSON.stringify({
  agents: [
    { id: 'writer', cli: 'custom', command: ['sh', '-c', 'echo new >new.txt; echo done'] },
    { id: 'second', cli: 'custom', command: ['sh', '-c', 'echo done'] },
  ],
});
const PREFLIGHT = ['run', 'x', '--agent', 'scripted', '--preflight-only'];
const RUN = ['run', 'x', '--agent', 'writer'];
const NAME_ANOTHER = /Use the folder of one project instead\./;

/** Projects that no workspace can be made of. */
const REFUSED: readonly (readonly [
  act: string,
  prepare: (world: ClumsyWorld) => string,
  says: RegExp,
])[] = [
  ['a bare repository', (world) => world.clone('bare.git', '--bare'), /is a bare repository/],
  [
    'the .git folder',
    (world) => join(world.clone('whole'), '.git'),
    /is a bare repository, or is inside one/,
  ],
  [
    'a repository without HEAD',
    (world) => {
      rmSync(join(world.clone('headless'), '.git/HEAD'));
      return world.at('headless');
    },
    /has a \.git, but git does not accept it as a repository/,
  ],
  [
    'a repository with broken settings',
    (world) => {
      writeFileSync(join(world.clone('misconfigured'), '.git/config'), '[core');
      return world.at('misconfigured');
    },
    /git does not accept it as a repository/,
  ],
  [
    'a worktree whose repository is gone',
    (world) => {
      mkdirSync(world.at('orphan'));
      writeFileSync(world.at('orphan/.git'), 'gitdir: /nowhere');
      return world.at('orphan');
    },
    /git does not accept it as a repository/,
  ],
  [
    'a folder of the machine',
    () => '/etc',
    /\/etc cannot be a project, because it belongs to the machine/,
  ],
];

/** Projects that look odd, and work. */
const ODD: readonly (readonly [
  act: string,
  prepare: (world: ClumsyWorld) => string,
  says: RegExp,
])[] = [
  [
    'a folder without git',
    (world) => folder(world, 'plain', 0o755),
    /plain \(a folder without git\)/,
  ],
  [
    'a link to a repository',
    (world) => link(world, world.clone('real'), 'link'),
    /\/real \(git, main\)/,
  ],
  ['a shallow clone', (world) => world.clone('shallow', '--depth', '1'), /shallow \(git, main\)/],
  [
    'a repository without a commit',
    (world) => {
      world.git(folder(world, 'unborn', 0o755), 'init', '--quiet', '--initial-branch=trunk');
      return world.at('unborn');
    },
    /unborn \(git, trunk\)/,
  ],
  [
    'a repository without a branch',
    (world) => {
      world.git(world.clone('detached'), 'checkout', '--quiet', '--detach');
      return world.at('detached');
    },
    /detached \(git, no branch\)/,
  ],
  [
    'a branch with a name of 200 letters',
    (world) => {
      world.git(world.clone('long'), 'checkout', '--quiet', '-b', 'b'.repeat(200));
      return world.at('long');
    },
    /\(git, b{200}\)/,
  ],
  [
    'a repository that another git has locked',
    (world) => {
      writeFileSync(join(world.clone('locked'), '.git/index.lock'), '');
      return world.at('locked');
    },
    /locked \(git, main\)/,
  ],
  [
    'a merge with conflicts',
    (world) => {
      const dir = world.clone('merging');
      for (const [branch, text] of [
        ['one', '1'],
        ['two', '2'],
      ] as const) {
        world.git(dir, 'checkout', '--quiet', '-b', branch, 'origin/main');
        writeFileSync(join(dir, 'a.txt'), text);
        world.git(dir, 'commit', '--quiet', '-am', text);
      }
      assert.throws(() => world.git(dir, 'merge', 'one'));
      return dir;
    },
    /merging \(git, two\)/,
  ],
  [
    'a repository with a submodule',
    (world) => {
      const dir = world.clone('outer');
      world.git(dir, 'submodule', '--quiet', 'add', `file://${world.project}`, 'inner');
      return dir;
    },
    /outer \(git, main\)/,
  ],
  [
    'a linked worktree',
    (world) => {
      world.git(world.clone('trunk'), 'worktree', 'add', '--quiet', world.at('side'));
      return world.at('side');
    },
    /side \(git, side\)/,
  ],
  [
    'a repository whose hooks fail',
    (world) => {
      const dir = world.clone('hooked');
      mkdirSync(join(dir, 'hooks'));
      writeFileSync(join(dir, 'hooks/post-checkout'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
      world.git(dir, 'config', 'core.hooksPath', join(dir, 'hooks'));
      return dir;
    },
    /hooked \(git, main\)/,
  ],
  [
    'a repository of another user',
    (world) => {
      const dir = world.clone('foreign');
      if (process.getuid?.() === 0) chownSync(dir, NO_ACCOUNT, NO_ACCOUNT);
      return dir;
    },
    /foreign \(git, main\)/,
  ],
];

describe('a project that looks odd', { timeout: 600_000 }, () => {
  testClumsyCases(
    [
      ...REFUSED.map(([what, prepare, says]) => ({
        act: `the project is ${what}`,
        args: RUN,
        prepare,
        code: 2,
        says,
        remedy: NAME_ANOTHER,
      })),
      ...ODD.map(([what, prepare, says]) => ({
        act: `the project is ${what}`,
        args: PREFLIGHT,
        prepare,
        code: 0,
        says,
      })),
    ],
    CONFIG,
  );

  test('a setup that fails ends the run before any agent, with what it printed and what to do', async (context) => {
    if (whichSync('bwrap') === undefined) return context.skip('missing: bubblewrap');
    const setup = { command: ['sh', '-c', 'echo no lockfile here >&2; exit 3'] };
    const sandbox = { backend: 'bubblewrap' };
    await using world = await ClumsyWorld.create(
      JSON.stringify({ ...(JSON.parse(CONFIG) as object), setup, sandbox }),
    );
    const { code, stdout } = await world.harness.run(RUN);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /blocked: the setup, .* ended with code 3\n\s+no lockfile here\n/);
    assert.doesNotMatch(stdout, /attempt-1|bug in Supervisor/);
    assert.match(
      stdout,
      /correct setup in .*\n[^]*continue with: supervisor resume [0-9a-f]{10}\n/,
    );
    await world.checkHome();
  });

  test('a project with a file of 2 GB fails at once, for one agent, with the name of the file', async (context) => {
    if (whichSync('bwrap') === undefined) return context.skip('missing: bubblewrap');
    await using world = await ClumsyWorld.create(CONFIG);
    appendFileSync(join(world.project, 'huge.bin'), '');
    truncateSync(join(world.project, 'huge.bin'), 2 ** 31);
    const set = ['--set', 'sandbox.backend=bubblewrap'];
    const { harness } = world;
    const { code, stdout } = await harness.run(['run', 'x', '--chain', 'writer,second', ...set]);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /huge\.bin is larger than 100000000 bytes\..*\.gitignore/);
    assert.match(stdout, /attempts +1 \(writer\)/);
  });
});

function link(world: ClumsyWorld, target: string, name: string): string {
  symlinkSync(target, world.at(name));
  return world.at(name);
}
