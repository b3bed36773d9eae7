/**
 * The cost of workflows. A step that does nothing, on a durable journal, beside a bare commit of the same database.
 * And a workflow of one step, beside a plain run with the same role.
 */
import { execFileSync } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '../src/base/ids.ts';
import { seededRandom } from '../src/base/random.ts';
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts';
import type { Performer } from '../src/engine/performer.ts';
import { systemClock } from '../src/host/machine/system-clock.ts';
import type { Owner } from '../src/owner/owner.ts';
import type { WorkflowStep } from '../src/protocol/workflow-definition.ts';
import { openDatabase } from '../src/store/sqlite/database.ts';
import { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts';
import { fakeProgram, fakeSubmission } from '../src/testing/fakes/fake-program.ts';
import { workflowProgram } from '../src/workflow/workflow-program.ts';
import { loosePerformer } from '../test/support/run-event.ts';
import { tempDir } from '../test/support/temp-dir.ts';
import { testOwner } from '../test/support/test-owner.ts';
import { definition, gate, role, workflowSubmission } from '../test/support/workflow-fixture.ts';
import type { Figure } from './figure.ts';
import { median } from './figure.ts';

/** As many as a workflow may begin by default. */
const STEPS = 50;
const ROUNDS = 15;
const WARM_UP = 3;

export async function figures(): Promise<readonly Figure[]> {
  const steps = await measureSteps();
  const whole = await measureOneStep();
  const commit = `a bare commit takes ${steps.commitMs.toFixed(3)} ms`;
  return [
    {
      name: 'no-op step',
      value: steps.gateMs,
      unit: 'ms',
      yardstick: `a gate, 1 commit; ${commit}`,
      atMost: 2,
    },
    {
      name: 'no-op step of a role',
      value: steps.roleMs,
      unit: 'ms',
      yardstick: `a child run, 6 commits; ${commit}`,
    },
    {
      name: 'workflow of one step',
      value: whole.overheadMs,
      unit: 'ms',
      yardstick: `over a plain run with the same role, which takes ${whole.plainMs.toFixed(0)} ms to start; ${sayEffects(whole)}`,
      atMost: 5,
    },
  ];
}

function sayEffects({ plain, workflow }: OneStepFigures): string {
  return `${workflow.processes} processes and ${workflow.commits} commits, over ${plain.processes} and ${plain.commits}`;
}

type StepFigures = { readonly commitMs: number; readonly gateMs: number; readonly roleMs: number };

/** The three alternate, so that a busy machine slows all of them. */
async function measureSteps(): Promise<StepFigures> {
  await using folder = await tempDir();
  const database = openDatabase(join(folder.path, 'raw.db'));
  const journal = SqliteJournal.open(join(folder.path, 'journal.db'));
  const engine = await EmbeddedEngine.open({
    ...{ journal, clock: systemClock, random: seededRandom(1) },
    programs: [fakeProgram, workflowProgram],
    performers: NO_OPS,
    limits: [],
    onDefect: (_run, error) => {
      throw error;
    },
  });
  const [commits, gates, roles]: [number[], number[], number[]] = [[], [], []];
  try {
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      const commitMs = timeCommits(database);
      const gateMs = await timeWorkflow(engine, (next) => gate(['test'], next));
      const roleMs = await timeWorkflow(engine, (next) => role('coder', next));
      if (round < 0) continue;
      commits.push(commitMs);
      gates.push(gateMs);
      roles.push(roleMs);
    }
  } finally {
    await engine.close();
    await journal.close();
    database.close();
  }
  return { commitMs: median(commits), gateMs: median(gates), roleMs: median(roles) };
}

const NO_OPS: readonly Performer[] = [
  loosePerformer('gate', async ({ input }) => ({ kind: 'passed', name: String(input['name']) })),
  loosePerformer('prepare-step', async () => ({
    kind: 'prepared',
    submission: fakeSubmission([{ perform: 'nothing' }]),
  })),
  loosePerformer('dance', async () => ({ kind: 'completed' })),
  loosePerformer('collect-step', async ({ input }) => ({
    answer: { status: 'SUCCESS' },
    summary: '',
    work: null,
    base: { run: String(input['run']), tree: 1, commit: 'base', content: 'base' },
    failure: null,
  })),
];

function timeCommits(database: ReturnType<typeof openDatabase>): number {
  const insert = database.prepare(
    `INSERT INTO events (stream, seq, type, v, at, payload, checksum) VALUES (?, ?, 'x', 1, 0, '{}', 0)`,
  );
  const stream = `run/${performance.now()}`;
  const start = performance.now();
  for (let seq = 1; seq <= STEPS; seq += 1) insert.run(stream, seq);
  return (performance.now() - start) / STEPS;
}

/** The milliseconds of one step, from the submission to the end of the run. */
async function timeWorkflow(
  engine: EmbeddedEngine,
  stepBefore: (next: string | null) => Omit<WorkflowStep, 'id'>,
): Promise<number> {
  const steps = Object.fromEntries(
    Array.from({ length: STEPS }, (_, n) => {
      return [`step-${n}`, stepBefore(n + 1 < STEPS ? `step-${n + 1}` : null)];
    }),
  );
  const submission = workflowSubmission(definition(steps));
  const start = performance.now();
  const run = await engine.start(submission);
  for await (const event of engine.follow(run, 0, new AbortController().signal)) void event;
  const taken = performance.now() - start;
  const outcome = (await engine.get(run))?.outcome;
  if (outcome?.kind !== 'unverified' && outcome?.kind !== 'succeeded')
    throw new Error(`it ended as ${outcome?.kind}: ${outcome?.reason}`);
  return taken / STEPS;
}

const ONE_STEP = `description: One step
initial_step: plan
steps:
  plan: {role: planner}
`;
const AGENT = 'scripted:answers-its-role';

type OneStepFigures = {
  /** From the request until the run of the agent exists. */
  readonly plainMs: number;
  /** How much longer that takes in a workflow, with all that follows after that run has ended. */
  readonly overheadMs: number;
  readonly plain: Effects;
  readonly workflow: Effects;
};

/** What a run makes: other processes, and commits of the journal. */
type Effects = { readonly processes: number; readonly commits: number };

/**
 * What the run of the agent itself takes is left out on both sides: it starts git some forty times, and would hide a
 * difference of milliseconds. Other work of the machine only adds time, so the fastest quarter of each side counts.
 */
async function measureOneStep(): Promise<OneStepFigures> {
  const count = countProcesses();
  await using folder = await tempDir();
  await using at = await testOwner('', { scriptedInProject: false });
  mkdirSync(join(at.dir, 'workflows'));
  writeFileSync(join(at.dir, 'workflows', 'one.yaml'), ONE_STEP);
  const project = folder.path;
  writeFileSync(join(project, 'README.md'), '# A shop\n');
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...who, 'commit', '-qm', 'first'],
  ])
    execFileSync('git', args, { cwd: project });
  const request = { task: 'Nothing.', project, agent: AGENT };
  const kinds = {
    plain: { ...request, role: 'planner' },
    workflow: { ...request, workflow: 'one' },
  };
  const taken: Record<keyof typeof kinds, number[]> = { plain: [], workflow: [] };
  const effects = { plain: NO_EFFECTS, workflow: NO_EFFECTS };
  for (let round = -WARM_UP; round < ROUNDS; round += 1)
    for (const kind of ['plain', 'workflow'] as const) {
      const before = count();
      let commits = 0;
      const stopCounting = at.owner.journal.onCommit(() => void (commits += 1));
      const ms = await timeAround(at.owner, kinds[kind]);
      stopCounting();
      effects[kind] = { processes: count() - before, commits };
      if (round >= 0) taken[kind].push(ms);
    }
  const plainMs = fastest(taken.plain);
  return { plainMs, overheadMs: fastest(taken.workflow) - plainMs, ...effects };
}

const NO_EFFECTS: Effects = { processes: 0, commits: 0 };

/** The mean of the fastest quarter. */
function fastest(values: readonly number[]): number {
  const some = values.toSorted((a, b) => a - b).slice(0, Math.ceil(values.length / 4));
  return some.reduce((sum, value) => sum + value, 0) / some.length;
}

/** Counts the processes that this one starts from now on. */
function countProcesses(): () => number {
  let started = 0;
  const channel = diagnostics.channel('child_process');
  channel.subscribe(() => void (started += 1));
  return () => started;
}

/** The milliseconds of a run without those of its agent's run, which may be the run itself. */
async function timeAround(owner: Owner, request: Parameters<Owner['submit']>[0]): Promise<number> {
  const start = performance.now();
  const { id } = await owner.submit(request);
  let agentsRun = id;
  for await (const event of owner.followRun(id as RunId, 0, new AbortController().signal))
    if (event.type === 'command.begun' && event.payload.command === 'run')
      agentsRun = event.payload.input.run;
  const taken = performance.now() - start;
  const { outcome } = await owner.run(id as RunId);
  if (outcome?.kind !== 'unverified') throw new Error(`it ended as ${JSON.stringify(outcome)}`);
  const { submittedAt, endedAt } = await owner.run(agentsRun as RunId);
  return taken - ((endedAt ?? Number.NaN) - submittedAt);
}
