/** Random runs with the facts that the views for people with a SQL shell read: features, workflows and attempts. */
import * as fc from 'fast-check';
import { at } from '../../src/base/clock.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { Journal } from '../../src/store/journal.ts';

type ViewedRun = {
  readonly submission: object;
  /** Whether it continues the run before it, after that many facts. */
  readonly continues: number | null;
  readonly facts: readonly NewRunEvent[];
  readonly snapshotAt: number | null;
};

const COMPONENTS = ['P1-C1', 'P1-C2', 'P1-C11'];
const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(value, { freq: 2 });

const component = fc.record(
  {
    id: fc.constantFrom(...COMPONENTS),
    title: fc.constantFrom('A part', 'it\'s "quoted"'),
    role: fc.constantFrom('implementer', 'tester'),
    files: fc.constant(['a.txt', 'b.txt']),
    dependsOn: fc.subarray(COMPONENTS),
    interfaces: fc.constant([{ path: 't.d.ts', text: 'export type T = 1;' }]),
    node: fc.constant({ kind: 'join' }),
  },
  { requiredKeys: ['id', 'title', 'role', 'files', 'dependsOn'] },
);
const phase = fc.record({
  id: fc.constantFrom('P1', 'P2'),
  title: fc.constant('A phase'),
  components: fc.uniqueArray(component, { selector: ({ id }) => id, minLength: 1, maxLength: 3 }),
});
const feature = fc
  .uniqueArray(phase, { selector: ({ id }) => id, minLength: 1, maxLength: 2 })
  .map((phases) => ({
    program: 'feature',
    settings: { feature: { plan: { id: 'F1', title: 'A feature', phases } } },
  }));
const steps = { build: {}, 'build.more': {}, Review_it: {} };
const roles = { implementer: { answer: 'task' }, reviewer: { answer: 'review' } };
const workflow = fc.constant({
  program: 'test', // the views read the settings, and not which program it is
  settings: { workflow: { definition: { steps }, roles } },
});
const attempts = fc.record({
  program: fc.constant('attempts'),
  settings: fc.record(
    {
      brief: fc.record({ role: fc.constant('tester'), answer: fc.constantFrom('task', 'review') }),
    },
    { requiredKeys: [] },
  ),
});

const place = fc.constantFrom(
  'p1-c1-1',
  'p1-c1-2',
  'p1-c11-1',
  'build-1',
  'build-more-2-1',
  '1',
  '2-1',
);
const role = fc.constantFrom('implementer', 'reviewer');
/** The name of a command with how its keys begin. */
const named = fc.constantFrom(
  ...([
    ['attempt', 'attempt'],
    ['prepare-step', 'prepare'],
    ['collect-step', 'collect'],
    ['commit-work', 'commit'],
    ['merge-work', 'merge'],
    ['assess-change', 'assess'],
    ['run', 'run'],
    ['ask', 'ask'],
    ['gate', 'gate'],
    ['wait', 'wait'],
  ] as const),
);
const command = fc
  .tuple(named, place)
  .map(([[name, prefix], where]) => ({ command: name, key: `${prefix}-${where}` }));

const input = fc.record(
  {
    role,
    feedback: optional(fc.constant('do it better')),
    why: fc.record({ kind: fc.constantFrom('first', 'retry') }),
    number: fc.integer({ min: 1, max: 9 }),
    agent: fc.record({ cli: fc.constantFrom('claude', 'codex') }),
    work: optional(fc.record({ commit: fc.constantFrom('c1', 'c2') })),
    reason: fc.constantFrom('retry', 'cooldown'),
    question: fc.constant('?'),
    until: fc.constant(1000),
  },
  { requiredKeys: ['number', 'agent', 'why', 'reason', 'question', 'until'] },
);
const result = fc.record(
  {
    kind: fc.constantFrom('completed', 'failed', 'refused', 'merged', 'invalid'),
    reason: fc.constant('rate_limited'),
    failure: fc.record({
      reason: fc.constant('limit'),
      category: fc.constantFrom('limit', 'crash'),
    }),
    usage: fc.record(
      { inputTokens: fc.nat(9999), outputTokens: fc.nat(99), costUsd: fc.constantFrom(0.25, 1.5) },
      { requiredKeys: [] },
    ),
    spent: fc.record({ usd: fc.constantFrom(0.125, 2) }),
    commit: fc.constantFrom('c1', 'c2'),
    names: fc.subarray(['a.txt']),
    work: optional(fc.constant({ commit: 'c1' })),
    answer: fc.constantFrom('skip', 'retry'),
  },
  { requiredKeys: [] },
);
const end = fc.oneof(
  { weight: 4, arbitrary: result.map((one) => ({ kind: 'done', result: one })) },
  { weight: 1, arbitrary: fc.constant({ kind: 'interrupted' }) },
);
/** The view of a run reads `input` in a note of the command `run`. */
const note = fc.constantFrom(
  { kind: 'committed', commit: 'c1', input: { run: 'b' } },
  { kind: 'committed', commit: 'c2', input: { run: 'b' } },
  { kind: 'process', pid: 1, input: { run: 'b' } },
);
const skip = fc.constantFrom(...COMPONENTS).map((id) => ({
  type: 'signal.received',
  payload: { signal: { kind: 'merge-queue', action: 'skip', component: id } },
}));
const fact = fc.oneof(
  fc.tuple(command, input).map(([one, given]) => ({
    type: 'command.begun',
    payload: { ...one, input: given, limits: [] },
  })),
  fc
    .tuple(command, end)
    .map(([one, how]) => ({ type: 'command.ended', payload: { ...one, end: how } })),
  fc
    .tuple(command, note)
    .map(([one, what]) => ({ type: 'command.noted', payload: { ...one, note: what } })),
  skip,
);
const last = fc
  .constantFrom('succeeded', 'failed')
  .map((kind) => ({ type: 'run.ended', payload: { outcome: { kind, reason: 'over' } } }));

const run = fc
  .record({
    program: fc.oneof({ weight: 2, arbitrary: feature }, workflow, attempts),
    parent: optional(
      fc.record({
        run: fc.constant('00000000a0'),
        key: fc.constantFrom('run-p1-c1-1', 'run-p1-c11-2'),
        depth: fc.constant(1),
      }),
    ),
    continues: optional(fc.integer({ min: 1, max: 8 })),
    facts: fc.array(fact, { maxLength: 14 }),
    last: optional(last),
    snapshotAt: optional(fc.integer({ min: 1, max: 10 })),
  })
  .map(({ program, parent, facts, last: final, ...more }) => ({
    ...more,
    submission: {
      ...{ ...program, task: 'a task', project: '/project' },
      ...(parent === null ? {} : { parent }),
    },
    facts: final === null ? facts : [...facts, final],
  })) as fc.Arbitrary<unknown> as fc.Arbitrary<ViewedRun>;

export const viewedRuns: fc.Arbitrary<readonly ViewedRun[]> = fc.array(run, {
  minLength: 2,
  maxLength: 6,
});

export async function writeViewedRuns(journal: Journal, runs: readonly ViewedRun[]): Promise<void> {
  for (const [index, { submission, continues, facts, snapshotAt }] of runs.entries()) {
    const stream = runStream(`00000000a${index}`);
    const first =
      continues === null || index === 0
        ? { type: 'run.submitted', payload: submission }
        : {
            type: 'run.forked',
            payload: { from: `00000000a${index - 1}`, seq: continues, submission },
          };
    const all = [first as unknown as NewRunEvent, ...facts];
    for (const [seq, event] of all.entries())
      await journal.append(stream, seq, [event], at(1000 * index + 10 * seq));
    if (snapshotAt !== null && snapshotAt <= all.length)
      await journal.saveSnapshot(stream, { maker: 'fold@1', seq: snapshotAt, state: { index } });
  }
}
