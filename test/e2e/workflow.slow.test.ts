/** A whole workflow by the command line, with scripted agents, real git and gates in a real sandbox. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { StatusDocument } from '../../src/public-json/status-document.ts';
import { CheckpointsDocument } from '../../src/public-json/work-documents.ts';
import { trustProject } from '../support/trust-project.ts';
import type { CliHarness } from './cli-process-harness.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

const WORKFLOW = `description: A small one
initial_step: plan
steps:
  plan: {role: planner, next: implement}
  implement: {role: implementer, next: check}
  check: {gates: [test], next: review, on_fail: implement, max_retries: 3}
  review: {roles: [reviewer, security_auditor], agree: all, next: approve, on_reject: implement}
  approve: {kind: human, next: commit, on_reject: implement}
  commit: {kind: commit}
`;
const CHECK = `grep -q 'a + b' sum.mjs || { echo "not ok: add(1, 2) is -1"; exit 1; }\n`;
const FILES = {
  'check.sh': CHECK,
  '.supervisor/config.yaml': 'gates:\n  - {name: test, command: [sh, check.sh]}\n',
  '.supervisor/workflows/small.yaml': WORKFLOW,
};
const RUN = ['run', 'Add a sum.', '--workflow', 'small', '--agent', 'scripted:plays-every-role'];

type Run = StatusDocument['runs'][number];

function statesOf({ steps }: Pick<Run, 'steps'>): string {
  return steps.map(({ step, state, visits }) => `${step} ${state} ${visits}`).join(', ');
}

function git(harness: CliHarness, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
  return execFileSync('git', [...who, ...args], { cwd: harness.project, encoding: 'utf8' });
}

/** A person approves a step that asks. */
async function approve(harness: CliHarness, run: string): Promise<void> {
  const { code, stdout, stderr } = await harness.run(['answer', run, 'approve']);
  assert.equal(code, 0, stdout + stderr);
}

async function submitted(at: { harness: CliHarness; env: NodeJS.ProcessEnv }): Promise<string> {
  const { harness } = at;
  git(harness, 'add', '--all');
  git(harness, 'commit', '--quiet', '-m', 'first');
  await trustProject(harness.home.dir, harness.project);
  const env = { ...at.env, SUPERVISOR_SCRIPTED_IN_PROJECT: undefined };
  const { code, stdout, stderr } = await harness.run([...RUN, '--detach'], { env });
  assert.equal(code, 0, stdout + stderr);
  return stdout.trim();
}

/** Waits for these events of the run, one after another, because each wait has a bound. */
async function shows(harness: CliHarness, run: string, ...lines: readonly RegExp[]): Promise<void> {
  const terminal = harness.type(['events', '--run', run, '--follow']);
  for (const line of lines) await terminal.shows(line);
  terminal.child.kill('SIGKILL');
}

/** The run when it waits for the approval. */
async function waits(harness: CliHarness, run: string): Promise<Run> {
  await shows(
    harness,
    run,
    /implement#1 succeeded/,
    /implement#2 prepared/,
    /implement#2 succeeded/,
    /review#2 \(reviewer\) prepared/,
    /approve#1: question/,
  );
  const [view] = await harness.runs(run);
  assert.equal(view?.state, 'awaiting_input');
  return view;
}

/** What a person with a SQL shell sees of the whole workflow. */
function checkViews({ home }: CliHarness, run: string): void {
  using journal = new DatabaseSync(home.journal, { readOnly: true });
  const rows = (sql: string): readonly Record<string, unknown>[] =>
    journal
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  const [whole] = rows(`SELECT * FROM workflow WHERE id = '${run}'`);
  assert.deepEqual(
    { ...whole, created_at: 0, updated_at: 0 },
    {
      ...{ id: run, current_step: null, component: null, status: 'completed' },
      ...{ created_at: 0, updated_at: 0 },
    },
  );
  const events = rows(
    `SELECT event_type, role, status FROM workflow_events
      WHERE workflow_id = '${run}' AND event_type <> 'transition' ORDER BY id`,
  );
  const { role, status } = events.find(({ status }) => status === 'CHANGES_REQUESTED') ?? {};
  assert.deepEqual([role, status], ['security_auditor', 'CHANGES_REQUESTED']);
  assert.deepEqual(
    events.map(({ event_type: type }) => type),
    ['gate', 'review', 'review', 'retry', 'gate', 'review', 'review'],
  );
  const checkpoints = rows(
    `SELECT git_sha, context_snapshot ->> '$.step' AS step FROM checkpoints
      WHERE workflow_id = '${run}' ORDER BY id`,
  );
  assert.deepEqual(
    checkpoints.flatMap(({ step }) => (step === null ? [] : [step])),
    ['plan', 'implement', 'review', 'implement', 'review'],
  );
  assert.deepEqual(
    checkpoints.map(({ git_sha: sha }) => /^[0-9a-f]{40}$/.test(String(sha))),
    checkpoints.map((_, nth) => nth > 0),
    'only the first step has no work yet',
  );
  const metrics = rows('SELECT * FROM metrics ORDER BY id');
  const [first] = metrics;
  assert.deepEqual(
    { ...first, id: 0, timestamp: 0, duration_seconds: 0 },
    {
      ...{ id: 0, timestamp: 0, role: 'planner', cli: 'scripted', task_type: 'plan', success: 1 },
      ...{ retry_count: 0, duration_seconds: 0, token_usage: null, cost_estimate: null },
      error_category: null,
    },
  );
  assert.ok(metrics.some(({ retry_count: retries }) => retries === 1));
}

const DOCUMENTED = '/** The sum of two numbers. */\nexport const add = (a, b) => a + b;\n';

describe('a workflow', { skip, timeout: 900_000 }, () => {
  test('plans, fixes what the gate and a reviewer find, waits for a person, and ends with its work', async () => {
    await using at = await newRepository(FILES);
    const { harness } = at;
    const run = await submitted(at);
    const asking = await waits(harness, run);
    assert.equal(
      statesOf(asking),
      'plan passed 1, implement passed 2, check passed 2, review passed 2, approve asking 1, commit pending 0',
    );
    assert.match(asking.questions[0]?.question ?? '', /approve/);
    await approve(harness, run);
    await shows(harness, run, /commit#1: question/);
    await approve(harness, run);
    await harness.run(['wait', run]);
    const [ended] = await harness.runs(run);
    assert.equal(ended?.state, 'succeeded', JSON.stringify(ended));
    // The work is that of the last step that wrote, on the base of the whole workflow.
    assert.match(
      (await harness.run(['diff', run])).stdout,
      /\+export const add = \(a, b\) => a \+ b;/,
    );
    const [branch = ''] = git(
      harness,
      'for-each-ref',
      '--format=%(refname:short)',
      'refs/heads/ai/',
    ).split('\n');
    assert.match(branch, /^ai\/[0-9a-f]{6}-add-a-sum$/);
    assert.equal(git(harness, 'show', `${branch}:sum.mjs`), DOCUMENTED);
    assert.equal(git(harness, 'rev-list', '--count', branch), '2\n', 'one commit on the base');
    assert.match(git(harness, 'log', '-1', '--format=%B', branch), new RegExp(run));
    const applied = await harness.run(['apply', run, '--include-executing']);
    assert.equal(applied.code, 0, applied.stdout + applied.stderr);
    assert.equal(await readFile(join(harness.project, 'sum.mjs'), 'utf8'), DOCUMENTED);
    const undone = await harness.run(['apply', run, '--undo']);
    assert.equal(undone.code, 0, undone.stdout + undone.stderr);
    checkViews(harness, run);
  });

  test('whose owner is killed ends as if it had not been', async () => {
    await using at = await newRepository(FILES);
    const { harness } = at;
    const run = await submitted(at);
    await shows(harness, run, /implement#1 starts run/);
    const { pid } = JSON.parse(await readFile(harness.home.ownerFile, 'utf8')) as { pid: number };
    process.kill(pid, 'SIGKILL');
    await writeFile(join(harness.project, 'later.txt'), 'edited by the user meanwhile\n');
    const asking = await waits(harness, run);
    assert.equal(
      statesOf(asking),
      'plan passed 1, implement passed 2, check passed 2, review passed 2, approve asking 1, commit pending 0',
    );
    await approve(harness, run);
    await shows(harness, run, /commit#1: question/);
    const { stdout } = await harness.run(['diff', run, '--raw']);
    assert.match(stdout, /sum\.mjs/);
    assert.doesNotMatch(stdout, /later\.txt/);
  });

  test('that was rejected goes back to a step, keeps the steps before it, and commits on another branch', async () => {
    await using at = await newRepository(FILES);
    const { harness } = at;
    const run = await submitted(at);
    await waits(harness, run);
    const { code, stderr } = await harness.run(['resume', run, '--from', 'check']);
    assert.deepEqual([code, /has not ended/.test(stderr)], [1, true], stderr);
    await harness.run(['reject', run, '--reason', 'not yet']);
    await harness.run(['wait', run]);
    const unknown = await harness.run(['resume', run, '--from', 'chekc']);
    assert.deepEqual([unknown.code, /Did you mean check\?/.test(unknown.stderr)], [2, true]);

    const resumed = await harness.run(['resume', run, '--from', 'review', '--detach']);
    const next = resumed.stdout.trim();
    await shows(harness, next, /review#2 \(reviewer\) prepared/, /approve#1: question/);
    const [asking] = await harness.runs(next);
    assert.equal(
      statesOf(asking ?? { steps: [] }),
      'plan passed 1, implement passed 2, check passed 2, review passed 2, approve asking 1, commit pending 0',
    );
    // The steps before it were done by the first run.
    const { stdout: events } = await harness.run(['events', '--run', next]);
    assert.doesNotMatch(events, /implement#|check#/);
    await approve(harness, next);
    await shows(harness, next, /commit#\d: question/);
    await approve(harness, next);
    await harness.run(['wait', next]);

    const listed = await harness.run(['checkpoints', next, '--json']);
    const { checkpoints } = CheckpointsDocument.parse(JSON.parse(listed.stdout));
    assert.deepEqual(
      checkpoints.map(({ name, outcome }) => `${name} ${outcome}`),
      [
        ...['plan#1 passed', 'implement#1 passed', 'check#1 passed', 'review#1 rejected'],
        ...['implement#2 passed', 'check#2 passed', 'review#2 passed', 'approve#1 passed'],
        'commit#1 passed',
      ],
    );
    const [, first, second] = checkpoints.filter(({ step }) => step !== 'check');
    assert.notEqual(first?.git_sha, first?.git_sha_before);
    assert.equal(second?.git_sha_before, first?.git_sha);

    // A second run from a run that has committed does not touch its branch.
    const forked = await harness.run(['fork', next, '--at', 'commit', '--detach']);
    const fork = forked.stdout.trim();
    await shows(harness, fork, /commit#\d: question/);
    await approve(harness, fork);
    await harness.run(['wait', fork]);
    const branches = git(harness, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/ai/');
    assert.match(branches, /^(ai\/[0-9a-f]{6}-add-a-sum\n){2}$/);
  });
});
