/**
 * A random plan on the real engine and the journal in memory: facts are written, commands are performed, and the owner dies
 * at writes that the seed chooses. Agents, git and gates are invented. Each fact is checked as it was written.
 */
import assert from 'node:assert/strict';
import { commandKey } from '../../src/base/ids.ts';
import type { RunId } from '../../src/base/ids.ts';
import { isRefusal } from '../../src/base/errors.ts';
import { hashText } from '../../src/base/hash-text.ts';
import type { Json } from '../../src/base/json.ts';
import { randomInt, randomItem, seededRandom } from '../../src/base/random.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { finishMove, stopMoves } from '../../src/engine/parent-run.ts';
import type { Performer } from '../../src/engine/performer.ts';
import type { Program } from '../../src/engine/program.ts';
import { featureProgram } from '../../src/plan/feature-program.ts';
import type { FeatureState } from '../../src/plan/feature-state.ts';
import { waitsForRelease } from '../../src/plan/merge-holds.ts';
import type { Signal } from '../../src/protocol/signal.ts';
import type { RunEvent } from '../../src/protocol/event.ts';
import type { RunOutcome } from '../../src/protocol/outcome.ts';
import type { FeatureSubmission } from '../../src/protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../../src/protocol/run-submission.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import type { Journal } from '../../src/store/journal.ts';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { crashingJournal } from '../../src/testing/fakes/crashing-journal.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';
import { featureSubmission } from './feature-world.ts';
import { PlanRules, naiveAncestors, randomEnd, randomPlan, randomSetup } from './random-plan.ts';
import type { WatchedPlan } from './random-plan.ts';
import { loosePerformer } from './run-event.ts';

const STEPS_MAX = 4000;
const FACTS_MAX = 100_000;
const LIVES_MAX = 5;
const DEFECT = 'an invented defect';

type ChildState = {
  readonly open: readonly { readonly key: string; readonly command: string }[];
  readonly tries: number;
  readonly outcome: { readonly kind: RunOutcome['kind']; readonly reason: string } | null;
  readonly stop: 'stop' | 'kill' | null;
};

/** In place of the workflow of a component: one command, whose result is its outcome. */
const childProgram: Program<ChildState & { readonly [key: string]: Json }> = {
  name: WORKFLOW_PROGRAM,
  version: 1,
  start: () => ({ open: [], tries: 0, outcome: null, stop: null }),
  fold: (state, event) => {
    if (event.type === 'command.begun') {
      const { key, command } = event.payload;
      return { ...state, open: [{ key, command }], tries: state.tries + 1 };
    }
    if (event.type === 'signal.received') {
      const { kind } = event.payload.signal;
      return kind === 'stop' || kind === 'kill' ? { ...state, stop: kind } : state;
    }
    if (event.type !== 'command.ended') return state;
    const { end } = event.payload;
    const outcome = end.kind === 'done' ? (end.result as unknown as RunOutcome) : null;
    return { ...state, open: [], outcome };
  },
  next: (state) => {
    const ending = stopMoves(state, 'stopped');
    if (ending !== undefined) return ending;
    if (state.outcome !== null) return [finishMove(state.outcome)];
    const key = commandKey(`work-${state.tries + (state.open.length > 0 ? 0 : 1)}`);
    return [{ kind: 'perform', key, command: 'dance', input: {} } as never];
  },
};

const COMMANDS = [
  ...[
    'open-base',
    'collect-step',
    'write-interfaces',
    'merge-work',
    'gate',
    'commit-work',
    'setup',
  ],
  'dance',
];

/** What a command returns depends on its run and its key alone. */
function performers(seed: number, clock: ManualClock): readonly Performer[] {
  return COMMANDS.map((command) =>
    loosePerformer(command, async ({ run, key }, { cancelSignal }) => {
      const random = seededRandom(
        Number.parseInt(hashText(`${seed} ${run} ${key}`).slice(0, 8), 16),
      );
      await clock.sleep(randomInt(random, 1, 40), cancelSignal);
      const asked = command === 'dance' ? 'run' : command;
      const end = randomEnd(random, key, asked, cancelSignal.aborted);
      if (end.kind !== 'done') throw new Error(DEFECT);
      const { result } = end as { readonly result: { readonly outcome?: object } };
      return command === 'dance' ? (result.outcome ?? {}) : result;
    }),
  );
}

export type EnginePlayed = {
  readonly outcome: string;
  readonly lives: number;
  readonly facts: number;
};

/** Throws if a rule is broken. */
export async function playOnEngine(seed: number): Promise<EnginePlayed> {
  const random = seededRandom(seed);
  const plan = randomPlan(random, seed % 3 === 0 ? randomInt(random, 2, 3) : 0);
  const ancestors = naiveAncestors(plan);
  const setup = randomSetup(random, plan);
  let submission: FeatureSubmission;
  try {
    submission = featureSubmission(setup);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    assert.equal(ancestors, undefined, 'only circles are refused');
    return { outcome: 'refused', lives: 0, facts: 0 };
  }
  assert.ok(ancestors !== undefined, 'circles are refused');
  const disk = new MemoryDisk();
  const clock = new ManualClock(1_000_000);
  let lives = 0;
  for (let over = false; !over;) {
    lives += 1;
    assert.ok(lives <= LIVES_MAX + 1, 'it ends in a life that is not cut');
    const whole = new MemoryJournal(disk);
    const isCut = lives <= randomInt(random, 1, LIVES_MAX);
    const when = random() < 0.5 ? 'before' : 'after';
    const journal = isCut ? crashingJournal(whole, randomInt(random, 1, 60), when) : whole;
    over = await live(journal, { seed, submission, clock, random, isCut });
  }
  const facts = await factsOf(new MemoryJournal(disk));
  checkFacts(
    submission,
    facts,
    (watched) => new PlanRules(watched, plan, ancestors, setup.capacity),
  );
  const last = facts.at(-1);
  assert.ok(last?.type === 'run.ended', 'it ends with its last fact');
  return { outcome: last.payload.outcome.kind, lives, facts: facts.length };
}

type World = {
  readonly seed: number;
  readonly submission: FeatureSubmission;
  readonly clock: ManualClock;
  readonly random: () => number;
};

/** False: the owner died. */
async function live(
  journal: Journal,
  { seed, submission, clock, random, isCut }: World & { readonly isCut: boolean },
): Promise<boolean> {
  const defects: unknown[] = [];
  let over = false;
  const opened: Engine[] = [];
  try {
    const engine = await EmbeddedEngine.open({
      ...{ journal, clock, random: seededRandom(await journal.lastId()) },
      ...{ programs: [featureProgram, childProgram], performers: performers(seed, clock) },
      ...{ limits: [], snapshotEvery: 7 },
      onDefect: (_run, error) => defects.push(error),
    });
    opened.push(engine);
    const [found] = await topRuns(engine);
    if (found === undefined) await engine.start(submission);
    for (let step = 0; step < STEPS_MAX && !over && defects.length === 0; step += 1) {
      await settle(4);
      const [view] = await topRuns(engine);
      over = view !== undefined && view.outcome !== null;
      if (view !== undefined && !over) await visit(engine, journal, view, { submission, random });
      await clock.advance(5);
    }
    assert.ok(over || defects.length > 0, 'it ends');
  } catch (error) {
    // An owner that has just died answers no signal any more.
    const isDead = isCut && ((error as Error).name === 'CrashNow' || defects.length > 0);
    if (!isDead) throw error;
  }
  for (const engine of opened) await engine.close();
  // An owner that was cut reports its own death.
  if (!isCut) assert.deepEqual(defects, []);
  return over;
}

async function topRuns(engine: Engine): Promise<readonly RunView[]> {
  const views = await engine.list({ limit: 1000 });
  return views.filter(({ program }) => program === featureProgram.name);
}

/** People answer, hold, release and skip. Few of them stop the feature. */
async function visit(
  engine: Engine,
  journal: Journal,
  { id, open }: RunView,
  { submission, random }: Pick<World, 'submission' | 'random'>,
): Promise<void> {
  const say = async (signal: Signal): Promise<void> => {
    try {
      await engine.signal(id as RunId, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error; // what they look at may be over by now
    }
  };
  const question = open.find(({ command }) => command === 'ask');
  if (question !== undefined && random() < 0.5) {
    const answer = randomItem(random, ['retry', 'retry', 'retry', 'skip']);
    await say({ kind: 'answer', key: question.key, answer });
  }
  if (random() < 0.001) await say({ kind: 'stop' });
  const isStill =
    open.length === 0 && waitsForRelease(stateAfter(submission, await factsOf(journal)));
  if (!isStill && random() > 0.02) return;
  const components = submission.settings.feature.plan.phases.flatMap((one) => one.components);
  const component =
    random() < 0.4 ? null : randomItem(random, components.map((one) => one.id) as [string]);
  const action = randomItem(random, ['hold', 'release', 'release', 'release', 'skip'] as const);
  await say({ kind: 'merge-queue', action, component });
}

async function factsOf(journal: Journal): Promise<readonly RunEvent[]> {
  const [feature] = (await journal.runs({ limit: 1000 })).filter(
    ({ program }) => program === featureProgram.name,
  );
  assert.ok(feature !== undefined);
  return journal.readStream(runStream(feature.id as RunId), { after: 0, limit: FACTS_MAX });
}

function stateAfter(submission: FeatureSubmission, facts: readonly RunEvent[]): FeatureState {
  return facts.reduce<FeatureState>(
    (state, fact) => featureProgram.fold(state, fact),
    featureProgram.start(submission),
  );
}

/** After each fact, and at the end. */
function checkFacts(
  submission: FeatureSubmission,
  facts: readonly RunEvent[],
  rulesOf: (watched: WatchedPlan) => PlanRules,
): void {
  const open = new Map<string, { readonly key: string; readonly command: string }>();
  const begun = new Set<string>();
  const watched = {
    state: featureProgram.start(submission) as FeatureState,
    open,
    outcome: undefined as RunOutcome | undefined,
  };
  const rules = rulesOf(watched);
  for (const fact of facts) {
    watched.state = featureProgram.fold(watched.state, fact);
    if (fact.type === 'command.begun') {
      const { key, command } = fact.payload;
      assert.ok(!begun.has(key), `${key} is begun twice`);
      begun.add(key);
      open.set(key, { key, command });
    }
    if (fact.type === 'command.ended')
      assert.ok(open.delete(fact.payload.key), `${fact.payload.key} ends once`);
    if (fact.type === 'run.ended') watched.outcome = fact.payload.outcome;
    rules.check();
  }
  assert.deepEqual([...open.keys()], [], 'nothing is open at the end');
  rules.checkEnd();
}
