/** Kills the owner at its k-th write, for every k, before the write is durable or just after. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { MemoryJournal } from '../../src/store/memory/memory-journal.ts';
import { crashingJournal } from '../../src/testing/fakes/crashing-journal.ts';
import { ManualClock, settle } from '../../src/testing/fakes/manual-clock.ts';
import { isSampled } from '../support/sample.ts';
import type { Effect, CrashScenario } from './crash-scenarios.ts';
import { endState, visitRuns, open, submit } from './crash-scenarios.ts';

/** In CI, one in so many writes. */
const SAMPLE = 3;

type When = 'before' | 'after';
/** The write at which each life ends. The life after the last of these is not cut. */
type Cuts = readonly (readonly [k: number, when: When])[];

const STEPS_MAX = 300;

/** Runs one life. False if it was cut, true when the scenario has ended. */
async function live(
  story: CrashScenario,
  disk: MemoryDisk,
  clock: ManualClock,
  effects: Effect[],
  cut: readonly [k: number, when: When] | undefined,
): Promise<boolean> {
  const whole = new MemoryJournal(disk);
  const journal = cut === undefined ? whole : crashingJournal(whole, ...cut);
  const { engine, defects } = await open(journal, clock, (effect) => effects.push(effect));
  let over = false;
  try {
    await submit(story, engine);
    for (let step = 0; step < STEPS_MAX && !over && defects.length === 0; step += 1) {
      await settle(4);
      over = await visitRuns(story, engine);
      await clock.advance(5);
    }
  } catch (error) {
    assert.equal((error as Error).name, 'CrashNow');
  }
  await engine.close();
  if (cut === undefined) assert.deepEqual(defects, []);
  return over;
}

/** The end state, and in how many lives it was reached. */
async function play(
  story: CrashScenario,
  cuts: Cuts,
): Promise<{ readonly state: readonly string[]; readonly lives: number; readonly writes: number }> {
  const disk = new MemoryDisk();
  const clock = new ManualClock(1_000_000);
  const effects: Effect[] = [];
  for (let lives = 1; ; lives += 1) {
    const over = await live(story, disk, clock, effects, cuts[lives - 1]);
    if (!over && lives <= cuts.length) continue;
    const state = await endState(new MemoryJournal(disk), effects);
    return { state, lives, writes: disk.events.length };
  }
}

/**
 * Adds a test: whichever write the owner dies at, the scenario ends as if it had not died. `oneIn`: how many of the writes
 * of a long scenario CI plays.
 */
export function testEveryWrite(story: CrashScenario, oneIn = SAMPLE): void {
  test(`${story.name}: ends as if it had not died`, async (t) => {
    const { state: expected } = await play(story, []);
    let count = 0;
    let lastK = 0;
    for (const when of ['before', 'after'] as const) {
      for (let k = 1; ; k += 1) {
        if (!isSampled(k, oneIn)) continue;
        const { state, lives } = await play(story, [[k, when]]);
        assert.deepEqual(state, expected, `cut ${when} write ${k}`);
        if (lives === 1) break;
        count += 1;
        lastK = k;
        // And it may die again during recovery.
        for (const again of [1, 2, 3]) {
          const twice = await play(story, [
            [k, when],
            [again, when],
          ]);
          assert.deepEqual(twice.state, expected, `cut ${when} writes ${k} and ${again}`);
        }
      }
    }
    assert.ok(lastK + oneIn > 3);
    t.diagnostic(`N = ${lastK} writes, ${count} deaths, each also followed by a second one`);
    t.diagnostic(expected.join('; '));
  });
}
