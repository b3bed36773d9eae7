/**
 * Long-lived agents whose owner can die at any write and is followed by another: a story of turns, what
 * others say meanwhile, and a supervisor in one line. What lies outside of the owner outlives it.
 */
import assert from 'node:assert/strict';
import type { AttemptInput, AttemptOutcome } from '../../src/attempts/attempt.ts';
import { saidIn } from '../../src/attempts/said.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { RunId } from '../../src/base/ids.ts';
import type { Json } from '../../src/base/json.ts';
import { seededLuck } from '../../src/base/luck.ts';
import { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import { loadRun } from '../../src/engine/embedded/load-run.ts';
import type { Performer } from '../../src/engine/performer.ts';
import { lifeProgram } from '../../src/lifecycle/life-program.ts';
import type { LifeState } from '../../src/lifecycle/life-state.ts';
import { standingOf } from '../../src/lifecycle/standing.ts';
import type { Signal, Submission } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/event.ts';
import type { Journal } from '../../src/store/journal.ts';
import { MemoryDisk, MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { crashingJournal } from '../../src/testing/journal-faults.ts';
import { ManualClock, settle } from '../../src/testing/manual-clock.ts';
import type { Effect } from './played-story.ts';
import { endState, look, submit } from './played-story.ts';

export type LifeStory = {
  readonly submissions: readonly Submission[];
  /** By what it hears, which turn this is; and how it ends. */
  readonly labelOf: (heard: string, isResumed: boolean) => string;
  readonly ends: Readonly<Record<string, AttemptOutcome>>;
  /** The check of a turn that fails, by its words. */
  readonly isRed?: (check: string) => boolean;
  /** What somebody says to an agent as it is now; nobody says anything twice. Null: nothing any more, so its supervisor decides. */
  readonly says?: (state: LifeState) => readonly Signal[];
  /** Those of the owner that reach other agents. */
  readonly performers?: (
    journal: Journal,
    engine: () => EmbeddedEngine,
    did: Did,
  ) => readonly Performer[];
  readonly lives: number;
  readonly queued: boolean;
};

/** Something is done to the world. */
export type Did = (order: { readonly run: string; readonly key: string }, label: string) => void;

/** At which write an owner dies. */
export type Death = readonly [k: number, when: 'before' | 'after'];

type World = {
  readonly effects: Effect[];
  /** Which turn did what, for whoever checks it. */
  readonly turns: Map<string, string>;
  queued: boolean;
  taken: boolean;
};

const STEPS_MAX = 400;

export function said(text: string): AttemptOutcome {
  return { kind: 'completed', summary: text, session: 's', said: saidIn(text) };
}

/** The story to its end, with an owner more than there are deaths. */
export async function play(
  story: LifeStory,
  deaths: readonly Death[],
): Promise<{ readonly state: readonly string[]; readonly owners: number }> {
  const disk = new MemoryDisk();
  const clock = new ManualClock(1_000_000);
  const { queued } = story;
  const world: World = { effects: [], turns: new Map(), queued, taken: false };
  for (let owners = 1; ; owners += 1) {
    const over = await own(story, disk, clock, world, deaths[owners - 1]);
    if (!over && owners <= deaths.length) continue;
    assert.ok(over, 'it comes to its end');
    const journal = new MemoryJournal(disk);
    assert.deepEqual([world.queued, world.taken], [false, false]);
    const told: string[] = [];
    for (const { id } of (await journal.runs({ limit: 100 })).toReversed()) {
      const { life, commitments, notes, state } = standingOf(await stateOf(journal, id));
      const proven = commitments.map(({ status }) => status).join(', ');
      told.push(`${state} in life ${life}: ${proven}; ${notes} notes`);
    }
    return { state: [...(await endState(journal, world.effects)), ...told], owners };
  }
}

/** Each death alone, and each followed by a second one; gives how many there were. */
export async function dieEverywhere(
  story: LifeStory,
  expected: readonly string[],
): Promise<number> {
  let count = 0;
  for (const when of ['before', 'after'] as const)
    for (let k = 1; ; k += 1) {
      const { state, owners } = await play(story, [[k, when]]);
      assert.deepEqual(state, expected, `cut ${when} write ${k}`);
      if (owners === 1) break;
      count += 1;
      for (const again of [1, 2, 3]) {
        const deaths: Death[] = [
          [k, when],
          [again, when],
        ];
        const twice = await play(story, deaths);
        assert.deepEqual(twice.state, expected, `cut ${when} writes ${k} and ${again}`);
      }
    }
  return count;
}

async function own(
  story: LifeStory,
  disk: MemoryDisk,
  clock: ManualClock,
  world: World,
  death: Death | undefined,
): Promise<boolean> {
  const whole = new MemoryJournal(disk);
  const journal = death === undefined ? whole : crashingJournal(whole, ...death);
  const defects: unknown[] = [];
  const did: Did = ({ run, key }, label) => void world.effects.push({ run, key, label });
  const engine: EmbeddedEngine = await EmbeddedEngine.open({
    journal,
    clock,
    luck: seededLuck(await journal.lastId()),
    programs: [lifeProgram],
    performers: [
      ...performers(story, clock, world, did),
      ...(story.performers?.(journal, () => engine, did) ?? []),
    ],
    limits: [],
    onDefect: (_run, error) => defects.push(error),
    snapshotEvery: 5,
  });
  let over = false;
  try {
    for (let step = 0; step < STEPS_MAX && !over && defects.length === 0; step += 1) {
      await settle(4);
      over = await supervise(story, engine, journal);
      await clock.advance(5);
    }
  } catch (error) {
    assert.equal((error as Error).name, 'CrashNow');
  }
  await engine.close();
  if (death === undefined) assert.deepEqual(defects, []);
  return over;
}

/** Whoever has something to say says it; then whoever is down and not over is begun again. */
async function supervise(
  { submissions, says, lives }: LifeStory,
  engine: EmbeddedEngine,
  journal: Journal,
): Promise<boolean> {
  const people = async ({ id }: { readonly id: string }): Promise<void> => {
    const run = id as RunId;
    const state = await stateOf(journal, run);
    for (const signal of says?.(state) ?? [])
      if (!(await wasSaid(journal, run, signal))) return engine.signal(run, signal);
    const { life, exit, over } = standingOf(state);
    const isDown = life === 0 || exit !== null;
    if (isDown && !over && life < lives) await engine.signal(run, { kind: 'live', life: life + 1 });
  };
  const story = { name: 'lives', submissions, people };
  await submit(story, engine);
  return look(story, engine);
}

async function wasSaid(journal: Journal, run: string, signal: Signal): Promise<boolean> {
  const facts = await journal.readStream(runStream(run), { after: 0, limit: 10_000 });
  const words = JSON.stringify(signal);
  return facts.some(
    (one) => one.type === 'signal.received' && JSON.stringify(one.payload.signal) === words,
  );
}

export async function stateOf(journal: Journal, run: string): Promise<LifeState> {
  const folded = await loadRun(journal, lifeProgram, run);
  return (folded ?? assert.fail()).state as unknown as LifeState;
}

function performers(
  { labelOf, ends, isRed }: LifeStory,
  clock: Clock,
  world: World,
  did: Did,
): readonly Performer[] {
  const perform = (
    command: string,
    label: (input: Readonly<Record<string, Json>>, run: string) => string,
    result: (label: string) => object,
  ): Performer => ({
    command,
    perform: async ({ run, key, input }, errand) => {
      const what = label(input, run);
      did({ run, key }, what);
      await errand.note({ did: what });
      await clock.sleep(10, errand.asked);
      return { ...result(what) };
    },
  });
  return [
    perform(
      'attempt',
      (input, run) => {
        const { resume, prompt, resumePrompt } = input as unknown as AttemptInput;
        const isResumed = typeof resume === 'string';
        const label = labelOf(isResumed ? (resumePrompt ?? '') : prompt, isResumed);
        world.turns.set(`${run} ${Number(input['number'])}`, label);
        return label;
      },
      (label) => ends[label] ?? assert.fail(label),
    ),
    perform(
      'gate',
      (input, run) => {
        const turn = world.turns.get(`${run} ${Number(input['attempt'])}`) ?? '';
        return `checks ${textIn(input, 'name')} of who ${turn}`;
      },
      (label) =>
        isRed?.(label) === true
          ? { kind: 'failed', name: '', exit: 1, tail: 'red' }
          : { kind: 'passed', name: '' },
    ),
    perform(
      'take',
      () => (world.queued || world.taken ? 'takes the item' : 'finds nothing'),
      (label) => {
        if (label === 'finds nothing') return { kind: 'empty' };
        [world.queued, world.taken] = [false, true];
        return { kind: 'taken', name: 'x', text: 'do x' };
      },
    ),
    perform(
      'put',
      () => 'puts it away',
      () => {
        world.taken = false;
        return { kind: 'put' };
      },
    ),
    perform(
      'tell',
      (input) => `tells ${textIn(input, 'to')} ${textIn(input, 'text')}`,
      () => ({ kind: 'told', run: 'p' }),
    ),
    perform(
      'finalize',
      () => 'finalizes',
      () => ({ kind: 'finalized' }),
    ),
  ];
}

function textIn(input: Readonly<Record<string, Json>>, name: string): string {
  const value = input[name];
  return typeof value === 'string' ? value : '';
}
