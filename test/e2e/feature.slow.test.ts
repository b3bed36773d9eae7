/** A whole feature by the command line: scripted agents, real git, real gates, and an owner that is killed in the middle. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import {
  FeatureRunDocument,
  FeatureRunsDocument,
} from '../../src/public-json/feature-documents.ts';
import { RollbackDocument, TaskCompletionDocument } from '../../src/public-json/task-documents.ts';
import { tempDir } from '../support/temp-dir.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

type FeatureRun = ReturnType<typeof FeatureRunDocument.parse>;

/** Both `a` and `b` change the last line of shared.txt, which neither declares. */
const FEATURE = `id: P1T1
title: Two files and a third
workflow: small
phases:
  - id: one
    components:
      - { id: a, title: The first file, task: 'WRITE a.txt: one. EXTEND shared.txt: first', files: [a.txt] }
      - { id: b, title: The second file, task: 'WRITE b.txt: two. EXTEND shared.txt: second. NOTE: b counts to two', files: [b.txt] }
  - id: two
    components:
      - { id: c, title: The third file, task: 'WRITE c.txt: three', files: [c.txt] }
`;
const FILES = {
  'check.sh': 'test -f shared.txt\n',
  'shared.txt': 'list:\n',
  'feature.yaml': FEATURE,
  '.supervisor/config.yaml': 'gates:\n  - {name: test, command: [sh, check.sh]}\n',
  '.supervisor/workflows/small.yaml': `description: A small one
steps:
  implement: {role: implementer, next: check}
  check: {gates: [test], next: commit, on_fail: implement, max_retries: 2}
  commit: {kind: commit}
`,
};
const START = [
  ...['feature', 'start', 'feature.yaml', '--agent', 'scripted:builds-components'],
  ...['--capacity', '2', '--yes', '--detach', '--json'],
];
const BRANCH = 'ai/P1T1-two-files-and-a-third';

type Project = AsyncDisposable & {
  readonly harness: Awaited<ReturnType<typeof newRepository>>['harness'];
  readonly env: NodeJS.ProcessEnv;
  readonly git: (...args: readonly string[]) => string;
  /** Types a command that succeeds. */
  readonly say: (argv: readonly string[]) => Promise<string>;
};

async function openProject(): Promise<Project> {
  const at = await newRepository(FILES);
  const { harness } = at;
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: harness.project,
      encoding: 'utf8',
    });
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  await trustProject(harness.home.dir, harness.project);
  const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
  const say = async (argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await harness.run(argv, { env });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  return { harness, env, git, say, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

/** One pull request for each phase, the second into the branch of the first. */
async function openStack({ harness, env, git }: Project, run: string): Promise<void> {
  await using bin = await tempDir();
  const gh = `#!/bin/sh\n[ "$2" = list ] && { echo '[]'; exit; }\necho "$@" >> "$0.said"; cat > /dev/null\necho https://example.test/pull/$(wc -l < "$0.said")\n`;
  await writeFile(join(bin.path, 'gh'), gh, { mode: 0o755 });
  const remote = join(bin.path, 'remote.git');
  git('init', '--quiet', '--bare', remote);
  git('remote', 'add', 'origin', remote);
  const words = ['complete-task', run, '--pull-request', '--stacked', '--yes', '--json'];
  const path = [bin.path, process.env['PATH'] ?? ''].join(delimiter);
  const { code, stdout, stderr } = await harness.run(words, { env: { ...env, PATH: path } });
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(TaskCompletionDocument.parse(JSON.parse(stdout)).pull_requests, [
    'https://example.test/pull/1',
    'https://example.test/pull/2',
  ]);
  const said = (await readFile(join(bin.path, 'gh.said'), 'utf8')).trim().split('\n');
  assert.deepEqual(
    said.map((line) => / --base=(\S+)/.exec(line)?.[1] ?? null),
    [null, `${BRANCH}-ph1`],
  );
  const commits = git('--git-dir', remote, 'rev-list', '--count', `${BRANCH}-ph1..${BRANCH}-ph2`);
  assert.equal(commits.trim(), '1');
  git('remote', 'remove', 'origin');
}

/** The last phase is taken off the branch. The first one is reverted after the person has merged it. */
async function takeOutPhases({ harness, git, say, env }: Project, run: string): Promise<void> {
  const rollBack = async (phase: string): Promise<unknown> => {
    const out = await say(['rollback', run, '--phase', phase, '--yes', '--json']);
    const { action, commits, branch } = RollbackDocument.parse(JSON.parse(out));
    return [action, commits.length, branch];
  };
  const early = await harness.run(['rollback', run, '--phase', 'one', '--yes'], { env });
  assert.match(early.stderr, /Later phases build on P1T1-PH1: P1T1-PH2\. Nothing was changed\./);
  assert.deepEqual(await rollBack('P1T1-PH2'), ['shorten-branch', 1, BRANCH]);
  assert.equal(git('ls-tree', '--name-only', BRANCH, 'c.txt'), '');
  git('config', 'user.name', 'ada');
  git('config', 'user.email', 'ada@example.com');
  const checkedOut = git('symbolic-ref', '--short', 'HEAD').trim();
  git('merge', '--quiet', '--ff-only', BRANCH);
  assert.deepEqual(await rollBack('one'), ['revert-commits', 2, checkedOut]);
  assert.equal(git('show', 'HEAD:shared.txt'), 'list:\n');
  const twice = await harness.run(['rollback', run, '--phase', 'one', '--yes'], { env });
  assert.match(twice.stderr, /or it is rolled back already/);
}

describe('a feature', { skip, timeout: 900_000 }, () => {
  test('lands all components on one line of commits, also after a conflict and a killed owner', async () => {
    await using at = await openProject();
    const { harness, git, say, env } = at;
    const head = git('rev-parse', 'HEAD');

    const { run_id: run } = FeatureRunDocument.parse(JSON.parse(await say(START)));
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/run-p1t1-ph1-c1-1 starts/);
    await terminal.shows(/run-p1t1-ph1-c2-1 starts/);
    await terminal.shows(/commit-p1t1-ph1-c[12]-1 /);
    terminal.child.kill('SIGKILL');
    await harness.killOwner();

    await say(['up', '--detach']);
    await say(['wait', run]);
    const shown = FeatureRunDocument.parse(
      JSON.parse(await say(['feature', 'show', run, '--json'])),
    );
    const components = shown.phases.flatMap((phase) => phase.components);
    assert.deepEqual(
      [shown.state, shown.outcome, components.map(({ state }) => state)],
      ['complete', 'succeeded', ['complete', 'complete', 'complete']],
    );
    // The second one was in conflict with the first, and began again with its work.
    const [first, second] = shown.merges.map(({ id }) =>
      components.find((component) => component.id === id),
    );
    assert.deepEqual([first?.tries, second?.tries, components[2]?.tries], [1, 2, 1]);
    assert.deepEqual(first?.undeclared_files, ['shared.txt']);
    // What the third one found when it began is no change of its own.
    const collected = (await harness.events(run)).find(
      ({ type, payload }) => type === 'command.ended' && payload['key'] === 'collect-p1t1-ph2-c1-1',
    );
    assert.match(JSON.stringify(collected), /"changedSince":\["c\.txt"\]/);
    const [submitted] = await harness.events(components[2]?.run_id ?? '');
    assert.match(JSON.stringify(submitted), /not instructions:.*- one\.b: b counts to two/);

    const words = git('show', `${BRANCH}:shared.txt`).trim().split(' ');
    assert.deepEqual(words.slice(1).toSorted(), ['first', 'second']);
    assert.equal(git('show', `${BRANCH}:c.txt`), 'three\n');
    const line = git('log', '--format=%s', '--first-parent', `HEAD..${BRANCH}`).trim().split('\n');
    assert.deepEqual(line.toSorted(), ['The first file', 'The second file', 'The third file']);
    assert.equal(git('log', '--merges', '--format=%h', BRANCH), '');
    assert.deepEqual([git('rev-parse', 'HEAD'), git('status', '--short')], [head, '']);

    assert.match(
      await say(['merges', run]),
      /^ {2}3 {2}landed {3}[0-9a-f]{10} {2}two\.c, 1 file$/m,
    );
    const list = FeatureRunsDocument.parse(JSON.parse(await say(['feature', 'list', '--json'])));
    assert.deepEqual(
      list.features.map(({ run_id: id, landed }) => [id, landed]),
      [[run, 3]],
    );
    using journal = new DatabaseSync(harness.home.journal, { readOnly: true });
    const rows = journal.prepare('SELECT id, status FROM components WHERE run = ?').all(run);
    assert.deepEqual(
      rows.map((row) => Object.values(row)),
      components.map(({ id }) => [id, 'complete']),
    );
    const built = journal.prepare('SELECT DISTINCT component FROM workflow WHERE component <> ?');
    assert.equal(built.all('').length, 3, 'each run of a component names it');
    await openStack(at, run);
    await takeOutPhases(at, run);
    // The branch exists now, and another feature must not move it.
    const again = await harness.run(START, { env });
    assert.equal(again.code, 1);
    assert.match(again.stdout, /The branch ai\/P1T1-two-files-and-a-third exists already/);
  });

  test('is held, paused, cancelled and continued by a person, also across owners', async () => {
    await using at = await openProject();
    const { harness, git, say } = at;
    const read = async (...argv: readonly string[]): Promise<FeatureRun> =>
      FeatureRunDocument.parse(JSON.parse(await say([...argv, '--json'])));
    const { run_id: run } = await read(...START.slice(0, -1));
    assert.deepEqual((await read('merges', 'hold', run)).held, { all: true, components: [] });
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/collect-p1t1-ph1-c1-1 ended/);
    await terminal.shows(/collect-p1t1-ph1-c2-1 ended/);
    terminal.child.kill('SIGKILL');
    await harness.killOwner();

    await say(['up', '--detach']);
    const held = await read('merges', 'list', run);
    assert.deepEqual([held.held.all, held.merge_queue.length, held.merges], [true, 2, []]);
    // Both changed a file that neither declared: it is seen before the merge.
    assert.deepEqual(held.conflicts, [
      { components: ['P1T1-PH1-C1', 'P1T1-PH1-C2'], file: 'shared.txt' },
    ]);
    assert.match(await say(['merges', run]), /^The queue is held\./m);
    assert.equal((await read('feature', 'pause', run)).paused, true);
    assert.match(await say(['feature', 'show', run]), /^Paused\. Continue with: /m);
    assert.equal((await read('feature', 'resume', run)).paused, false);

    const skipped = await read('merges', 'skip', run, 'one.b');
    assert.equal(skipped.phases[0]?.components[1]?.state, 'failed');
    assert.equal((await read('feature', 'cancel', run)).outcome, 'cancelled');
    assert.equal(git('branch', '--list', 'ai/*'), '');

    const { run_id: next } = await read('feature', 'resume', run);
    assert.notEqual(next, run);
    const freed = await read('merges', 'release', next);
    assert.equal(freed.held.all, false);
    await say(['wait', next]);
    const end = await read('feature', 'show', next);
    assert.deepEqual([end.state, end.outcome], ['complete', 'succeeded']);
    assert.equal(git('show', `${BRANCH}-2:c.txt`), 'three\n');
  });
});
