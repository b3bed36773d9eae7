/** A whole graph by the command line: scripted agents, real git, real gates, a person, and an owner that is killed. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { FeatureRunDocument } from '../../src/public-json/feature-documents.ts';
import { trustProject } from '../support/trust-project.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

/** The gate `grown` prints what is missing, and the agent of the next round does what it reads. */
const GRAPH = `id: P1T7
title: A graph
workflow: small
nodes:
  - id: grow
    kind: subgraph
    repeat: { until: { field: grown.result, operator: equals, value: green }, max: 3 }
    nodes:
      - { id: write, kind: task, title: Write the file, task: 'WRITE w.txt: one', files: [w.txt] }
      - { id: grown, kind: gate, gates: [grown], after: [write] }
  - { id: look, kind: human, question: 'Is two right?', after: [grow] }
  - id: right
    kind: branch
    after: [look]
    when: { field: look.result, operator: equals, value: yes }
    then: [keep]
    else: [other]
  - { id: keep, kind: task, title: Keep it, task: 'WRITE keep.txt: kept', files: [keep.txt] }
  - { id: other, kind: task, title: Another one, task: 'WRITE other.txt: three', files: [other.txt] }
`;
const FILES = {
  'check.sh': 'test ! -e broken\n',
  'grown.sh': `grep -q two w.txt && exit 0\necho 'WRITE w.txt: two'\nexit 4\n`,
  'graph.yaml': GRAPH,
  'first.yaml': `id: P1T8
title: Ask first
workflow: small
nodes:
  - { id: look, kind: human, question: 'Shall it be built?' }
  - { id: write, kind: task, title: Write the file, task: 'WRITE w.txt: one', files: [w.txt] }
`,
  'wrong.yaml': GRAPH.replace('gates: [grown]', 'gates: [grow]'),
  '.supervisor/config.yaml':
    'gates:\n  - {name: test, command: [sh, check.sh]}\n  - {name: grown, command: [sh, grown.sh]}\n',
  '.supervisor/workflows/small.yaml': `description: A small one
steps:
  implement: {role: implementer, next: check}
  check: {gates: [test], next: commit, on_fail: implement, max_retries: 2}
  commit: {kind: commit}
`,
};
const BRANCH = 'ai/P1T7-a-graph';
const start = (file: string): readonly string[] => [
  ...['feature', 'start', file, '--agent', 'scripted:builds-components'],
  ...['--yes', '--detach', '--json'],
];

type Project = AsyncDisposable & {
  readonly harness: Awaited<ReturnType<typeof newRepository>>['harness'];
  readonly env: NodeJS.ProcessEnv;
  readonly git: (...args: readonly string[]) => string;
  /** Types a command that succeeds. */
  readonly say: (...argv: readonly string[]) => Promise<string>;
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
  const say = async (...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await harness.run(argv, { env });
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  };
  return { harness, env, git, say, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const read = (text: string): ReturnType<typeof FeatureRunDocument.parse> =>
  FeatureRunDocument.parse(JSON.parse(text));

describe('a graph', { skip, timeout: 900_000 }, () => {
  test('repeats, asks, and goes the way that a person chooses, also after a killed owner', async () => {
    await using at = await openProject();
    const { harness, env, git, say } = at;

    const wrong = await harness.run(start('wrong.yaml'), { env });
    assert.match(wrong.stdout, /names the gate \\"grow\\", which this project does not have/);
    const wide = await harness.run([...start('graph.yaml'), '--capacity', '5'], { env });
    assert.match(wide.stdout, /At most 4 nodes of a graph run side by side, not 5\./);

    const { run_id: run } = read(await say(...start('graph.yaml')));
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/Is two right\?/);
    terminal.child.kill('SIGKILL');
    await harness.killOwner();
    await say('up', '--detach');
    await say('answer', run, 'no');
    await say('wait', run);

    const shown = read(await say('feature', 'show', run, '--json'));
    assert.deepEqual([shown.state, shown.outcome], ['complete', 'succeeded']);
    const all = shown.phases.flatMap(({ components }) => components);
    assert.deepEqual(Object.fromEntries(all.map(({ name, result }) => [name, result])), {
      ...{ 'grow#1.write': null, 'grow#1.grown': 'red', 'grow#1': 'no' },
      ...{ 'grow#2.write': null, 'grow#2.grown': 'green', 'grow#2': 'yes' },
      ...{ 'grow#3.write': 'skipped', 'grow#3.grown': 'skipped', 'grow#3': 'skipped' },
      ...{ grow: 'done', look: 'no', right: 'no', keep: 'skipped', other: null },
    });
    assert.match(await say('feature', 'show', run), /^ {2}- {2}P1T7-PH1-C13 {2}keep +skipped/m);
    assert.deepEqual(git('log', '--reverse', '--format=%s', `HEAD..${BRANCH}`).trim().split('\n'), [
      ...['Write the file', 'Write the file', 'Another one'],
    ]);
    assert.deepEqual(
      ['w.txt', 'other.txt'].map((name) => git('show', `${BRANCH}:${name}`)),
      ['two\n', 'three\n'],
    );
    using journal = new DatabaseSync(harness.home.journal, { readOnly: true });
    const rows = journal.prepare(
      'SELECT status, count(*) FROM components WHERE run = ? GROUP BY 1',
    );
    assert.deepEqual(
      rows.all(run).map((row) => Object.values(row)),
      [['complete', 5]],
    );
  });

  test('that ended at its first failure continues from there', async () => {
    await using at = await openProject();
    const { harness, env, git, say } = at;
    const { run_id: run } = read(await say(...start('first.yaml'), '--capacity', '1'));
    const terminal = harness.type(['events', '--run', run, '--follow']);
    await terminal.shows(/Shall it be built\?/);
    await terminal.shows(/run-p1t8-ph1-c2-1 starts/);
    await say('answer', run, 'no');
    assert.equal((await harness.run(['wait', run], { env })).code, 1);
    terminal.child.kill('SIGKILL');
    const failed = read(await say('feature', 'show', run, '--json'));
    const states = failed.phases.flatMap(({ components }) => components.map(({ state }) => state));
    assert.deepEqual([failed.outcome, failed.state, states[0]], ['failed', 'failed', 'failed']);
    assert.match(failed.reason ?? '', /P1T8-PH1-C1: a person says no/);

    const { run_id: next } = read(await say('feature', 'resume', run, '--json'));
    await say('answer', next, 'yes');
    await say('wait', next);
    const end = read(await say('feature', 'show', next, '--json'));
    assert.deepEqual([end.state, end.outcome], ['complete', 'succeeded']);
    assert.equal(git('show', 'ai/P1T8-ask-first-2:w.txt'), 'one\n');
  });
});
