/**
 * A scenario that an engine plays to its end: submissions, a performer that takes a little time,
 * and users who react. It can be cut at any write and continued.
 */
import assert from 'node:assert/strict';
import { attemptsProgram } from '../../src/attempts/attempts-program.ts';
import { PINNED_DEFAULTS } from '../support/pinned-defaults.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import { seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Performer } from '../../src/engine/performer.ts';
import type { Submission } from '../../src/protocol/run-submission.ts';
import { BREAKER_STREAM, runStream } from '../../src/protocol/streams.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import type { Journal } from '../../src/store/journal.ts';
import type { FakeCommand, FakeProgramState } from '../../src/testing/fakes/fake-program.ts';
import { fakeProgram, fakeSubmission } from '../../src/testing/fakes/fake-program.ts';
import { loosePerformer, submission } from '../support/run-event.ts';
import { featurePerformers } from '../support/feature-performers.ts';
import { workflowPerformers } from '../support/workflow-performers.ts';
import { ablationProgram } from '../../src/workflow/ablation/ablation-program.ts';
import { featureProgram } from '../../src/plan/feature-program.ts';
import { workflowProgram } from '../../src/workflow/workflow-program.ts';

export type CrashScenario = {
  readonly name: string;
  /** Each has a unique task, by which its submitter finds it again. */
  readonly submissions: readonly Submission[];
  /** The reaction of users to a run that has not ended, each time that they look at it. */
  readonly people?: (view: RunView, engine: Engine) => Promise<void>;
};

/** One effect on the world. Effects outlive every crash. */
export type Effect = { readonly run: string; readonly key: string; readonly label: string };

export function fakePrograms(name: string, ...stages: readonly FakeProgramState[]): Submission {
  return { ...fakeSubmission(...stages), task: name };
}

function attempts(name: string): Submission {
  const settings = {
    ...PINNED_DEFAULTS,
    agent: { id: 'scripted', cli: 'scripted' },
    graceMs: 10,
    deadlineMs: null,
    interruptionsMax: 5,
    outputBytesMax: 1000,
  };
  return submission({ program: 'attempts', task: name, project: '/stage', settings });
}

/** Does its work once, records it, takes ten milliseconds, and ends early if it is cancelled. */
function performer(command: string, clock: Clock, onEffect: (effect: Effect) => void): Performer {
  return loosePerformer(command, async ({ run, key, input }, context) => {
    onEffect({ run, key, label: (input['label'] as string | undefined) ?? command });
    await context.note({ session: key });
    if (await clock.sleep(10, context.cancelSignal)) return { kind: 'completed', summary: 'done' };
    return { kind: 'stopped' };
  });
}

type Life = {
  readonly engine: Engine;
  readonly defects: readonly unknown[];
};

export async function open(
  journal: Journal,
  clock: Clock,
  onEffect: (effect: Effect) => void,
): Promise<Life> {
  const defects: unknown[] = [];
  const engine = await EmbeddedEngine.open({
    journal,
    clock,
    random: seededRandom(await journal.lastId()),
    programs: [attemptsProgram, fakeProgram, workflowProgram, ablationProgram, featureProgram],
    performers: [
      ...['attempt', 'dance'].map((command) => performer(command, clock, onEffect)),
      ...workflowPerformers(journal, clock, onEffect),
      ...featurePerformers(clock, onEffect),
    ],
    limits: [{ key: 'x', concurrencyMax: 1 }],
    onDefect: (_run, error) => defects.push(error),
    snapshotEvery: 4,
  });
  return { engine, defects };
}

/** Submits the missing runs. A submitter without an acknowledgement must look for its run. */
export async function submit({ submissions }: CrashScenario, engine: Engine): Promise<void> {
  const there = (await engine.list({ limit: 100 })).map(({ task }) => task);
  for (const submission of submissions)
    if (!there.includes(submission.task)) await engine.start(submission);
}

/** The users look at each run once. True when everything has ended. */
export async function visitRuns(
  { submissions, people }: CrashScenario,
  engine: Engine,
): Promise<boolean> {
  const views = await engine.list({ limit: 100 });
  for (const view of views) if (view.outcome === null) await people?.(view, engine);
  const top = views.filter(({ parent }) => views.every(({ id }) => id !== parent));
  return top.length === submissions.length && views.every(({ outcome }) => outcome !== null);
}

/** The result of a scenario, without everything that a crash may change. */
export async function endState(
  journal: Journal,
  effects: readonly Effect[],
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { id, task, outcome } of await journal.runs({ limit: 100 })) {
    const mine = effects.filter(({ run }) => run === id);
    await checkRecord(journal, id as RunId, mine);
    await checkChildren(journal, id as RunId);
    const labels = [...new Set(mine.map(({ label }) => label))].toSorted();
    lines.push(`${task}: ${outcome?.kind}, having done ${labels.join(', ') || 'nothing'}`);
  }
  const breakers = await journal.readStream(BREAKER_STREAM, { after: 0, limit: 1000 });
  if (breakers.length > 0) lines.push(`breakers: ${breakers.map(({ type }) => type).join(', ')}`);
  return lines.toSorted();
}

/**
 * No effect happens twice unrecorded: each has its own key that began before it, and each repeat
 * follows an interruption.
 */
async function checkRecord(
  journal: Journal,
  run: RunId,
  effects: readonly Effect[],
): Promise<void> {
  const events = await journal.readStream(runStream(run), { after: 0, limit: 10_000 });
  const begun = events.flatMap((event) => (event.type === 'command.begun' ? [event.payload] : []));
  const ends = events.flatMap((event) => (event.type === 'command.ended' ? [event.payload] : []));
  const keys = begun.map(({ key }) => key);
  assert.deepEqual(keys, [...new Set(keys)], 'a key is begun once');
  assert.deepEqual(ends.map(({ key }) => key).toSorted(), keys.toSorted(), 'each begun ends once');
  const performed = effects.map(({ key }) => key);
  assert.deepEqual(performed, [...new Set(performed)], 'a key is performed once');
  assert.deepEqual(
    performed.filter((key) => !keys.includes(key)),
    [],
    'begun before performed',
  );
  const lost = new Set(ends.filter(({ end }) => end.kind === 'interrupted').map(({ key }) => key));
  for (const label of new Set(effects.map((effect) => effect.label))) {
    const times = effects.filter((effect) => effect.label === label);
    const completed = times.filter(({ key }) => !lost.has(key));
    assert.ok(completed.length <= 1, `${label} is done twice without a loss on record`);
  }
  const last = events.filter(({ type }) => type === 'run.ended').map(({ seq }) => seq);
  assert.deepEqual(last, [events.length], 'a run ends once, with its last fact');
}

/** Each child was begun once by its parent, and the parent has its outcome. A child ends before its parent. */
async function checkChildren(journal: Journal, run: RunId): Promise<void> {
  const events = await journal.readStream(runStream(run), { after: 0, limit: 10_000 });
  const end = events.at(-1);
  for (const event of events) {
    if (event.type !== 'command.ended' || event.payload.command !== 'run') continue;
    const { end: ended } = event.payload;
    assert.ok(ended.kind === 'done', 'a child is never interrupted');
    const { run: child, outcome } = ended.result;
    if (child === null) continue;
    const view = await journal.run(child);
    assert.deepEqual([view?.parent, view?.outcome], [run, outcome]);
    const own = await journal.readStream(runStream(child), { after: 0, limit: 10_000 });
    assert.ok((own.at(-1)?.id ?? Infinity) < (end?.id ?? 0), 'a child ends before its parent');
  }
}

const dance = (perform: string): FakeCommand => ({ perform });
const CHILDREN = [
  [
    { run: [[dance('a')], [{ waitMs: 20 }], [dance('b')]], task: 'first' },
    { run: [[{ run: [[dance('c')]], task: 'grandchild' }]], task: 'second', needed: true },
  ],
  [dance('d')],
] as const;

const forever: FakeCommand = { waitMs: 1e9 };
const WAITING = [
  [
    { run: [[dance('a')], [forever], [dance('never')]], task: 'first' },
    {
      run: [[{ run: [[dance('c')], [forever]], task: 'grandchild' }]],
      task: 'second',
      needed: true,
    },
  ],
  [dance('never')],
] as const;

export const CRASH_SCENARIOS: readonly CrashScenario[] = [
  { name: 'an attempt that completes', submissions: [attempts('one')] },
  {
    name: 'an attempt that is stopped in the middle',
    submissions: [attempts('one')],
    people: async ({ id, open, stopAskedAt }, engine) => {
      if (open.length > 0 && stopAskedAt === null)
        await engine.signal(id as RunId, { kind: 'stop' });
    },
  },
  {
    name: 'performances side by side, a wait and a question',
    submissions: [
      fakePrograms(
        'one',
        [{ perform: 'a' }, { perform: 'b' }],
        [{ waitMs: 50 }, { ask: '?' }],
        [{ perform: 'c' }],
      ),
    ],
    people: async ({ id, open }, engine) => {
      const question = open.find(({ command }) => command === 'ask');
      if (question === undefined) return;
      await engine.signal(id as RunId, { kind: 'answer', key: question.key, answer: 'yes' });
    },
  },
  {
    name: 'a question that no person answers in time',
    submissions: [
      fakePrograms('one', [{ perform: 'a' }, { ask: '?', withinMs: 50 }], [dance('b')]),
    ],
  },
  {
    name: 'three runs in one line, the middle one killed in a wait',
    submissions: [
      fakePrograms('one', [{ perform: 'a', limits: ['x'] }], [{ perform: 'b', limits: ['x'] }]),
      fakePrograms(
        'two',
        [{ perform: 'c', limits: ['x'] }],
        [{ waitMs: 1e9 }],
        [{ perform: 'never' }],
      ),
      fakePrograms('three', [{ perform: 'd', limits: ['x'] }], [{ waitMs: 20 }]),
    ],
    people: async ({ id, task, open, stopAskedAt }, engine) => {
      if (task !== 'two' || stopAskedAt !== null) return;
      if (open.some(({ command }) => command === 'wait'))
        await engine.signal(id as RunId, { kind: 'kill' });
    },
  },
  { name: 'a run with two children', submissions: [fakePrograms('one', ...CHILDREN)] },
  {
    name: 'a long wait that a person cuts short',
    submissions: [fakePrograms('one', [{ waitMs: 1e9 }], [{ perform: 'a' }])],
    people: async ({ id, open }, engine) => {
      if (open.some(({ command }) => command === 'wait'))
        await engine.signal(id as RunId, { kind: 'retry-now' });
    },
  },
];

/** The users act only once the runs have reached a state that a crash does not change. */
export const CHILD_SCENARIOS: readonly CrashScenario[] = [
  {
    name: 'a run with two children that is stopped',
    submissions: [fakePrograms('one', ...WAITING)],
    people: async (view, engine) => {
      const waiting = (await engine.list({ limit: 9 })).filter(isWaiting);
      if (view.task === 'one' && view.stopAskedAt === null && waiting.length === 2)
        await engine.signal(view.id as RunId, { kind: 'stop' });
    },
  },
  {
    name: 'a run with two children that is paused and unpaused',
    submissions: [fakePrograms('one', ...CHILDREN)],
    people: async (view, engine) => {
      const id = view.id as RunId;
      if (view.task === 'one' && view.pausedAt !== null)
        await engine.signal(id, { kind: 'unpause' });
      if (view.task !== 'first' || !isWaiting(view)) return;
      const parent = view.parent === null ? undefined : await engine.get(view.parent as RunId);
      if (parent?.pausedAt === null) await engine.signal(parent.id as RunId, { kind: 'pause' });
    },
  },
  {
    name: 'a run whose needed child a person stops',
    submissions: [fakePrograms('one', ...WAITING)],
    people: async (view, engine) => {
      const waiting = (await engine.list({ limit: 9 })).filter(isWaiting);
      if (view.task === 'second' && view.stopAskedAt === null && waiting.length === 2)
        await engine.signal(view.id as RunId, { kind: 'stop' });
    },
  },
];

function isWaiting({ open, outcome }: RunView): boolean {
  return outcome === null && open.some(({ command }) => command === 'wait');
}
