/** A long-lived agent whose owner dies at its k-th write, for every k: it comes to the same end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
import type { LifeStanding } from '../../src/lifecycle/standing.ts';
import { standingOf } from '../../src/lifecycle/standing.ts';
import type { Journal } from '../../src/store/journal.ts';
import { MemoryDisk, MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { crashingJournal } from '../../src/testing/journal-faults.ts';
import { ManualClock, settle } from '../../src/testing/manual-clock.ts';
import { failed } from '../../src/testing/play-attempts.ts';
import { lifeSubmission } from '../../src/testing/play-life.ts';
import type { Effect } from './played-story.ts';
import { endState } from './played-story.ts';

const STEPS_MAX = 400;
const LIVES = 2;
/** A test may die more often than a real owner would. */
const LOST_MAX = 10;

/** Its first turn ends in the middle, the second crashes, the third says done too early, the fourth mends it; then comes its queue. */
const SUBMISSION = ((): ReturnType<typeof lifeSubmission> => {
  const { settings, ...rest } = lifeSubmission({
    parent: 'p',
    onDone: 'next',
    queue: { dir: '/q', onEmpty: 'terminate' },
    commitments: ['a', 'b'].map((description) => ({
      ...{ description, assertion: [description], by: 'itself', timeoutMs: 1000 },
    })),
  });
  return { ...rest, settings: { ...settings, lostMax: LOST_MAX } };
})();

/** What lies outside of the owner, and outlives it. */
type World = {
  readonly effects: Effect[];
  /** Which turn did what, for whoever checks it. */
  readonly turns: Map<number, string>;
  queued: boolean;
  taken: boolean;
};

function labelOf({ resume, prompt, resumePrompt }: AttemptInput): string {
  const heard = typeof resume === 'string' ? (resumePrompt ?? '') : prompt;
  if (heard.includes('Of your queue')) return 'the item';
  if (heard.includes('checks of ours failed')) return 'mends';
  if (heard.includes('You were restarted due to')) return 'says done';
  return typeof resume === 'string' ? 'crashes' : 'begins';
}

const ENDS: Readonly<Record<string, AttemptOutcome>> = {
  begins: said('so far'),
  crashes: failed('crashed', { session: 's' }),
  'says done': said('NOTE: it was hard\nDONE'),
  mends: said('DONE'),
  'the item': said('DONE'),
};

function said(text: string): AttemptOutcome {
  return { kind: 'completed', summary: text, session: 's', said: saidIn(text) };
}

function text(input: Readonly<Record<string, Json>>, name: string): string {
  const value = input[name];
  return typeof value === 'string' ? value : '';
}

function performers(clock: Clock, world: World): readonly Performer[] {
  const perform = (
    command: string,
    label: (input: Readonly<Record<string, Json>>) => string,
    result: (label: string) => object,
  ): Performer => ({
    command,
    perform: async ({ run, key, input }, errand) => {
      const what = label(input);
      world.effects.push({ run, key, label: what });
      await errand.note({ did: what });
      await clock.sleep(10, errand.asked);
      return { ...result(what) };
    },
  });
  const checked = (input: Readonly<Record<string, Json>>): string => {
    const turn = world.turns.get(Number(input['attempt'])) ?? '';
    return `checks ${text(input, 'name')} of who ${turn}`;
  };
  return [
    perform(
      'attempt',
      (input) => {
        const label = labelOf(input as unknown as AttemptInput);
        world.turns.set(Number(input['number']), label);
        return label;
      },
      (label) => ENDS[label] ?? assert.fail(label),
    ),
    perform('gate', checked, (label) =>
      label === 'checks b of who says done'
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
      (input) => `tells ${text(input, 'to')} ${text(input, 'text')}`,
      () => ({ kind: 'told', run: 'p' }),
    ),
    perform(
      'finalize',
      () => 'finalizes',
      () => ({ kind: 'finalized' }),
    ),
  ];
}

async function standing(journal: Journal, run: string): Promise<LifeStanding> {
  const folded = await loadRun(journal, lifeProgram, run);
  return standingOf((folded ?? assert.fail()).state as unknown as LifeState);
}

/** A supervisor in one line: whoever is down and not over is begun again. */
async function supervise(engine: EmbeddedEngine, journal: Journal): Promise<boolean> {
  const [view] = await engine.list({ limit: 1 });
  if (view === undefined) {
    await engine.start(SUBMISSION);
    return false;
  }
  if (view.outcome !== null) return true;
  const { life, exit, over } = await standing(journal, view.id);
  const isDown = life === 0 || exit !== null;
  if (isDown && !over && life < LIVES)
    await engine.signal(view.id as RunId, { kind: 'live', life: life + 1 });
  return false;
}

async function live(
  disk: MemoryDisk,
  clock: ManualClock,
  world: World,
  cut: readonly [k: number, when: 'before' | 'after'] | undefined,
): Promise<boolean> {
  const whole = new MemoryJournal(disk);
  const journal = cut === undefined ? whole : crashingJournal(whole, ...cut);
  const defects: unknown[] = [];
  const engine = await EmbeddedEngine.open({
    journal,
    clock,
    luck: seededLuck(await journal.lastId()),
    programs: [lifeProgram],
    performers: performers(clock, world),
    limits: [],
    onDefect: (_run, error) => defects.push(error),
    snapshotEvery: 5,
  });
  let over = false;
  try {
    for (let step = 0; step < STEPS_MAX && !over && defects.length === 0; step += 1) {
      await settle(4);
      over = await supervise(engine, journal);
      await clock.advance(5);
    }
  } catch (error) {
    assert.equal((error as Error).name, 'CrashNow');
  }
  await engine.close();
  if (cut === undefined) assert.deepEqual(defects, []);
  return over;
}

async function play(
  cuts: readonly (readonly [k: number, when: 'before' | 'after'])[],
): Promise<{ readonly state: readonly string[]; readonly owners: number }> {
  const disk = new MemoryDisk();
  const clock = new ManualClock(1_000_000);
  const world: World = { effects: [], turns: new Map(), queued: true, taken: false };
  for (let owners = 1; ; owners += 1) {
    const over = await live(disk, clock, world, cuts[owners - 1]);
    if (!over && owners <= cuts.length) continue;
    assert.ok(over, 'it comes to its end');
    const journal = new MemoryJournal(disk);
    const [view = assert.fail()] = await journal.runs({ limit: 1 });
    const { life, commitments, notes, state } = await standing(journal, view.id);
    assert.deepEqual([world.queued, world.taken], [false, false]);
    const proven = commitments.map(({ status }) => status).join(', ');
    const told = `${state} in life ${life}: ${proven}; ${notes} notes`;
    return { state: [...(await endState(journal, world.effects)), told], owners };
  }
}

describe('a long-lived agent whose owner dies at any write', () => {
  test('ends as if it had not died, in as many lives, its commitments checked each time', async (t) => {
    const { state: expected } = await play([]);
    assert.deepEqual(expected, [
      'the assignment: succeeded, having done begins, checks a of who mends, checks a of who says done, checks a of who the item, checks b of who mends, checks b of who says done, checks b of who the item, crashes, finalizes, finds nothing, mends, puts it away, says done, takes the item, tells parent NOTE from ada: it was hard, the item',
      'done in life 2: passed, passed; 1 notes',
    ]);
    let count = 0;
    for (const when of ['before', 'after'] as const)
      for (let k = 1; ; k += 1) {
        const { state, owners } = await play([[k, when]]);
        assert.deepEqual(state, expected, `cut ${when} write ${k}`);
        if (owners === 1) break;
        count += 1;
        for (const again of [1, 2, 3]) {
          const twice = await play([
            [k, when],
            [again, when],
          ]);
          assert.deepEqual(twice.state, expected, `cut ${when} writes ${k} and ${again}`);
        }
      }
    t.diagnostic(`${count} deaths, each also followed by a second one`);
    assert.ok(count > 60);
  });
});
