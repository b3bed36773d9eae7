/**
 * Commands of strategies: in a sandbox, without a network, for `supervisor context` and for runs
 * alike.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { trustProject } from '../support/trust-project.ts';
import { CliHarness } from '../e2e/cli-process-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

const ROLE = 'extends: investigator\ncontext: {strategy: told}\n';
const strategy = (run: string, gives = 'text'): string =>
  `description: What a command says\nalgorithm:\n  - command: {part: said, run: ${JSON.stringify(run)}, gives: ${gives}}\n`;

async function harnessWith(run: string, gives?: string): Promise<CliHarness> {
  const harness = await CliHarness.create('sandbox: {backend: bubblewrap}\n');
  const files = {
    'README.md': 'a project\n',
    'notes.txt': 'NOTES\n',
    '.supervisor/roles/told.yaml': ROLE,
    '.supervisor/strategies/told.yaml': strategy(run, gives),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(harness.project, path)), { recursive: true });
    await writeFile(join(harness.project, path), text);
  }
  await chmod(harness.project, 0o755); // root runs it as another user
  git(harness, 'init', '-q');
  git(harness, 'add', '-A');
  git(harness, 'commit', '-qm', 'first');
  await trustProject(harness.home.dir, harness.project);
  return harness;
}

function git(harness: CliHarness, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: harness.project,
  });
}

describe('a command of a strategy', { skip, timeout: 300_000 }, () => {
  test('sees the project, changes nothing, reaches no host and has no key', async () => {
    const run =
      'cat README.md; touch here 2>/dev/null || echo read-only; wc -l </proc/net/route; env | grep -c CANARY; git log --format=%s; exit 1';
    await using harness = await harnessWith(run);
    const result = await harness.run(['context', 'told'], { env: { CANARY: 'x' } });
    assert.equal(result.code, 0, result.stderr);
    assert.match(result.stdout, /^a project\nread-only\n1\n0\nfirst$/m);
    assert.deepEqual((await readdir(harness.project)).toSorted(), [
      '.git',
      '.supervisor',
      'README.md',
      'notes.txt',
    ]);

    const agent = 'scripted:answers-its-role';
    const ran = await harness.run(['run', 'look', '--role', 'told', '--agent', agent, '-f']);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    const [name = ''] = await readdir(join(harness.home.dir, 'briefs'));
    const prompt = await readFile(join(harness.home.dir, 'briefs', name), 'utf8');
    assert.ok(prompt.includes(result.stdout));
  });

  test('may name the files that are packed', async () => {
    await using harness = await harnessWith('echo notes.txt; echo ../outside', 'files');
    const { stdout } = await harness.run(['context', 'told']);
    assert.match(stdout, /NOTES/);
  });

  const bad: [why: string, run: string, message: RegExp][] = [
    ['is not there', 'no-such-program', /no-such-program.* ended with 127/],
    ['is killed', 'kill -9 $$', /was killed/],
    ['floods', 'yes', /prints more than 1000000 bytes/],
  ];
  for (const [why, run, message] of bad)
    test(`is refused when it ${why}, never packed`, async () => {
      await using harness = await harnessWith(run);
      const result = await harness.run(['context', 'told']);
      assert.deepEqual([result.code, result.stdout], [1, '']);
      assert.match(result.stderr, message);
    });

  test('is not run when the strategy differs from the committed one', async () => {
    await using harness = await harnessWith('echo committed');
    await writeFile(
      join(harness.project, '.supervisor/strategies/told.yaml'),
      strategy('echo edited'),
    );
    await trustProject(harness.home.dir, harness.project);
    const result = await harness.run(['context', 'told']);
    assert.equal(result.code, 2);
    assert.match(result.stderr, /must be committed without changes/);
  });
});
