/** Programs that are missing or too old, and files in the home that are not what the owner left there. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe } from 'node:test';
import { whichSync } from '../which.ts';
import type { ClumsyCase, ClumsyWorld } from './clumsy-world.ts';
import { testClumsyCases } from './clumsy-world.ts';

const CONFIG = JSON.stringify({
  agents: [
    { id: 'writer', cli: 'custom', command: ['sh', '-c', 'echo done'] },
    { id: 'absent', cli: 'custom', command: ['no-such-program'] },
    { id: 'closed', cli: 'custom', command: ['./a.txt'] },
  ],
});
const RUN = ['run', 'x', '--agent', 'writer'];
const NAME_ANOTHER = /Use the folder of one project instead\./;
/** Only another folder helps, so such a home is a wrong value: exit code 2. */
const NEW_HOME = 'SUPERVISOR_HOME';

/** Programs that a run needs. Each case has an owner of its own, inside the command. */
const PROGRAMS: readonly ClumsyCase[] = [
  {
    act: 'the program of the agent is not installed',
    args: ['run', 'x', '--chain', 'absent', '--unsafe-no-sandbox'],
    code: 1,
    says: /No agent of this run can be started: no-such-program is not installed/,
    remedy: /supervisor doctor/,
  },
  {
    act: 'the program of the agent may not be executed',
    args: ['run', 'x', '--chain', 'closed', '--unsafe-no-sandbox'],
    code: 1,
    says: /No agent of this run can be started: \.\/a\.txt is not installed/,
    remedy: /supervisor doctor/,
  },
  {
    act: 'the agent CLI is not installed',
    args: ['run', 'x', '--agent', 'claude', '--unsafe-no-sandbox', '--foreground'],
    env: (world) => ({ PATH: '/nowhere', SUPERVISOR_HOME: world.at('no-cli') }),
    code: 1,
    says: /claude is not installed, or not in /,
    remedy: /npm install --global @anthropic-ai\/claude-code/,
  },
  {
    act: 'git is too old',
    args: [...RUN, '--foreground'],
    prepare: (world) => {
      mkdirSync(world.at('old'), { recursive: true });
      writeFileSync(world.at('old/git'), '#!/bin/sh\necho git version 1.7.1\n');
      chmodSync(world.at('old/git'), 0o755);
      homeWith(world, 'old-git', 'config.yaml', CONFIG);
    },
    env: (world) => ({
      PATH: `${world.at('old')}:${process.env['PATH']}`,
      SUPERVISOR_HOME: world.at('old-git'),
    }),
    code: 1,
    says: /old\/git does not answer like git 2\.31 or newer/,
    remedy: /Install a newer git/,
  },
  {
    act: 'git hangs',
    args: [...RUN, '--foreground'],
    prepare: (world) => {
      mkdirSync(world.at('stuck'), { recursive: true });
      writeFileSync(world.at('stuck/git'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
      homeWith(world, 'stuck-git', 'config.yaml', CONFIG);
    },
    env: (world) => ({
      PATH: `${world.at('stuck')}:${process.env['PATH']}`,
      SUPERVISOR_HOME: world.at('stuck-git'),
    }),
    code: 1,
    says: /stuck\/git has not answered `git rev-parse` within 20 s/,
    remedy: /Check that this git works/,
  },
  {
    act: 'there is no git',
    args: [...RUN, '--foreground'],
    inNamespace: true,
    prepare: (world) => homeWith(world, 'no-git', 'config.yaml', CONFIG),
    env: (world) => ({ SUPERVISOR_HOME: world.at('no-git') }),
    shell: (typed) => `mount --bind /dev/null '${whichSync('git')}' && ${typed}`,
    code: 1,
    says: /git could not be started/,
    remedy: /Install git\. To see what this machine has: supervisor doctor/,
  },
  {
    act: 'HOME is the project',
    args: [...RUN, '--foreground'],
    prepare: (world) => homeWith(world, 'own', 'config.yaml', CONFIG),
    env: (world) => ({ HOME: world.project, SUPERVISOR_HOME: world.at('own') }),
    code: 2,
    says: /project is too broad to be a project: it is your home folder/,
    remedy: NAME_ANOTHER,
  },
];

/** Files in the home that are not what the owner left there. */
const STATES: readonly (readonly [
  name: string,
  put: (path: string) => void,
  says: RegExp,
  remedy: RegExp,
])[] = [
  [
    'journal.db',
    (path) => writeFileSync(path, 'hello\n'.repeat(100)),
    /journal\.db cannot be used as a journal/,
    /Restore a copy of it, or move the file away/,
  ],
  [
    'journal.db',
    (path) => mkdirSync(path),
    /The database .*journal\.db cannot be opened for writing/,
    /Check that the folder .* exists, that both are yours/,
  ],
  [
    'owner.lock',
    (path) => writeFileSync(path, 'hello\n'.repeat(100)),
    /owner\.lock is not the lock of an owner/,
    /Delete this file\. It holds no data/,
  ],
  [
    'owner.log',
    (path) => mkdirSync(path),
    /can't be used: owner\.log in it is a folder, not a file \(EISDIR\)/,
    /Move .*owner\.log away, or set SUPERVISOR_HOME/,
  ],
  [
    'owner.json',
    (path) => mkdirSync(path),
    /can't be used: owner\.json in it is a folder, not a file \(EISDIR\)/,
    /Move .*owner\.json away, or set SUPERVISOR_HOME/,
  ],
  [
    'owner.sock',
    (path) => mkdirSync(`${path}/inside`, { recursive: true }),
    /can't be used: owner\.sock in it is a folder, not a file \(EISDIR\)/,
    /Move .*owner\.sock away, or set SUPERVISOR_HOME/,
  ],
  [
    'outputs',
    (path) => writeFileSync(path, ''),
    /outputs can't be used: it is not a folder \(EEXIST\)/,
    /SUPERVISOR_HOME/,
  ],
];

describe('a program or a file of the home that can not be used', { timeout: 600_000 }, () => {
  testClumsyCases(
    [
      ...PROGRAMS,
      ...STATES.map(([name, put, says, remedy], index) => ({
        act: `${name} in the home is something else (${index})`,
        args: ['status'],
        prepare: (world: ClumsyWorld) => {
          mkdirSync(world.at(`state-${index}`), { mode: 0o700 });
          put(world.at(`state-${index}/${name}`));
        },
        env: (world: ClumsyWorld) => ({ SUPERVISOR_HOME: world.at(`state-${index}`) }),
        code: remedy.source.includes(NEW_HOME) ? 2 : 1,
        says,
        remedy,
      })),
    ],
    CONFIG,
  );
});

function homeWith(world: ClumsyWorld, home: string, name: string, text: string): void {
  mkdirSync(world.at(home), { mode: 0o700 });
  writeFileSync(world.at(`${home}/${name}`), text);
}
