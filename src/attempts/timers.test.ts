/** The timers of runs: a wait has one timer while it lasts, and a run that has ended has none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Instant } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { Limit } from '../engine/limits.ts';
import type { PersonSignal } from '../protocol/signal.ts';
import { AttemptsHarness } from '../../test/support/attempts-harness.ts';
import { ManualClock, settle } from '../testing/fakes/manual-clock.ts';
import { START_MS, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import type { AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

type Waiting = {
  readonly agents: AttemptSettings;
  readonly outcome?: AttemptOutcome;
  readonly limits?: readonly Limit[];
  /** Another run holds the slot that this run waits for. */
  readonly behind?: boolean;
  readonly says?: readonly PersonSignal['kind'][];
  readonly timers: number;
};

const patient = settingsFor(['a'], { preset: 'retry-then-fallback' });
const one = settingsFor(['a']);
const crashed = failed('crashed', { exit: 1 });
const limited = failed('rate_limited', { resetMs: HOUR });
const alone: Limit = { key: 'project:*', concurrencyMax: 1, countsRuns: true };
const seldom: Limit = { key: 'agent:*', rate: { startsMax: 1, perMs: HOUR } };

const STATES: readonly [where: string, waiting: Waiting][] = [
  ['in a backoff', { agents: patient, outcome: crashed, timers: 1 }],
  ['until a limit is over', { agents: one, outcome: limited, timers: 1 }],
  ['in the queue of its project', { agents: one, limits: [alone], behind: true, timers: 0 }],
  ['for the rate limit of its agent', { agents: one, limits: [seldom], behind: true, timers: 1 }],
  ['for a person', { agents: one, outcome: failed('budget'), timers: 0 }],
  ['paused in a backoff', { agents: patient, outcome: crashed, says: ['pause'], timers: 1 }],
  ['paused until a limit is over', { agents: one, outcome: limited, says: ['pause'], timers: 1 }],
  [
    'paused in a queue',
    { agents: one, limits: [seldom], behind: true, says: ['pause'], timers: 0 },
  ],
];

/** Starts a run and brings it into the waiting state. */
async function bring(stage: AttemptsHarness, waiting: Waiting): Promise<RunId> {
  await stage.open(waiting.outcome, waiting.limits);
  if (waiting.behind === true) await stage.start(one);
  const run = await stage.start(waiting.agents);
  await stage.signal(run, ...(waiting.says ?? []));
  return run;
}

describe('a run that waits', () => {
  for (const [where, waiting] of STATES) {
    for (const how of ['stop', 'kill'] as const)
      test(`${where} leaves no timer when it is ended by a ${how}, and nothing happens later`, async () => {
        await using stage = new AttemptsHarness();
        const run = await bring(stage, waiting);
        assert.equal((await stage.engine.get(run))?.endedAt, null);
        assert.equal(stage.clock.sleeping, waiting.timers);
        await stage.signal(run, how);
        assert.notEqual((await stage.engine.get(run))?.endedAt, null);
        assert.equal(stage.clock.sleeping, 0);
        const facts = await stage.facts();
        await stage.clock.advance(YEAR);
        assert.deepEqual(await stage.facts(), facts);
      });

    test(`${where} leaves no timer when its owner ends, nor when the next owner ends the run`, async () => {
      await using stage = new AttemptsHarness();
      const run = await bring(stage, waiting);
      await stage.engine.close();
      assert.equal(stage.clock.sleeping, 0);
      await stage.open(waiting.outcome, waiting.limits);
      await settle();
      if (waiting.behind !== true) assert.equal(stage.clock.sleeping, waiting.timers);
      for (const { id } of await stage.engine.list({ ended: false, limit: 2 }))
        await stage.signal(id as RunId, 'kill');
      assert.notEqual((await stage.engine.get(run))?.endedAt, null);
      assert.equal(stage.clock.sleeping, 0);
    });
  }

  test('has one timer at a time, and none once its attempts are used up', async () => {
    await using stage = new AttemptsHarness();
    await stage.open(crashed);
    const run = await stage.start(patient);
    const asleep: number[] = [];
    for (let waits = 0; waits < 20 && stage.clock.nextWakeMs !== undefined; waits += 1) {
      asleep.push(stage.clock.sleeping);
      await stage.clock.advance(stage.clock.nextWakeMs);
    }
    assert.deepEqual(asleep, [1, 1, 1]);
    assert.equal((await stage.engine.get(run))?.outcome?.kind, 'exhausted');
    assert.equal(stage.clock.sleeping, 0);
  });

  test('and gets retry-now keeps no timer of the wait that it left', async () => {
    await using stage = new AttemptsHarness();
    await stage.open(crashed);
    const run = await stage.start(patient);
    for (const attempts of [2, 3]) {
      await stage.signal(run, 'retry-now');
      assert.deepEqual([stage.attempts, stage.clock.sleeping], [attempts, 1]);
    }
  });

  test('for disk space leaves no timer when its owner ends', async () => {
    await using stage = new AttemptsHarness();
    await stage.open(crashed);
    const run = await stage.start(patient);
    stage.disk.full = true;
    await stage.clock.advance(stage.clock.nextWakeMs ?? 0);
    await assert.rejects(stage.signal(run, 'stop'));
    assert.equal(stage.clock.sleeping, 1);
    await stage.engine.close();
    assert.equal(stage.clock.sleeping, 0);
  });
});

/** A clock whose timers fire even after they are cancelled, as if the cancellation came too late. */
class LateClock extends ManualClock {
  late = 0;

  override async sleepUntil(until: Instant, signal?: AbortSignal): Promise<boolean> {
    if (!(await super.sleepUntil(until, signal))) this.late += 1;
    return true;
  }
}

describe('a timer that fires too late', () => {
  for (const how of ['stop', 'kill'] as const)
    for (const reason of ['crashed', 'rate_limited'] as const)
      test(`begins nothing after a ${how}: ${reason}`, async () => {
        const clock = new LateClock(START_MS);
        await using stage = new AttemptsHarness(clock);
        await stage.open(failed(reason, { resetMs: HOUR }));
        const run = await stage.start(patient);
        await stage.signal(run, how);
        await stage.clock.advance(YEAR);
        assert.deepEqual([stage.attempts, clock.late, clock.sleeping], [1, 1, 0]);
        assert.equal(
          (await stage.engine.get(run))?.outcome?.kind,
          how === 'kill' ? 'killed' : 'cancelled',
        );
      });

  for (const first of ['the timer', 'the stop'] as const)
    test(`or in the same moment as a stop, ${first} first, ends the run once`, async () => {
      await using stage = new AttemptsHarness();
      await stage.open(crashed);
      const run = await stage.start(patient);
      const fire = (): Promise<void> => stage.clock.advance(stage.clock.nextWakeMs ?? 0);
      const stop = (): Promise<void> => stage.engine.signal(run, { kind: 'stop' });
      await Promise.all(first === 'the timer' ? [fire(), stop()] : [stop(), fire()]);
      await stage.clock.advance(YEAR);
      const facts = await stage.facts();
      const ends = facts.filter(({ type }) => type === 'run.ended');
      assert.deepEqual([ends.length, stage.clock.sleeping], [1, 0]);
      const stopped = facts.findIndex(({ type }) => type === 'signal.received');
      const later = facts
        .slice(stopped)
        .flatMap((event) => (event.type === 'command.begun' ? [event.payload.command] : []));
      assert.deepEqual(later, ['finalize']);
    });
});
