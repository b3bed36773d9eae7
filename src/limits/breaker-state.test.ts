import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { BREAKER_FAILURES_MAX, BREAKER_WITHIN_MS } from '../protocol/breaker.ts';
import type { BreakerEvent, NewBreakerEvent } from '../protocol/event.ts';
import type { Breaker, Breakers } from './breaker-state.ts';
import {
  admitVisit,
  breakerId,
  BREAKERS_MAX,
  foldBreakers,
  NO_BREAKERS,
  stateAt,
  toBreakerView,
} from './breaker-state.ts';

const STEP = { project: '/app', workflow: 'small', step: 'implement' };
const MINUTE = 60_000;

type Timed = readonly [at: number, event: NewBreakerEvent];

function stored([at, event]: Timed): BreakerEvent {
  return { ...event, id: 1, stream: 'breakers', seq: 1, v: 1, at };
}

let count = 0;
function failed(at: number, run = 'a', step = 'implement'): Timed {
  const payload = { ...STEP, step, run, failure: `f${(count += 1)}`, reason: 'crashed' };
  return [at, { type: 'breaker.failed', payload }];
}
function probed(at: number, run: string): Timed {
  return [at, { type: 'breaker.probed', payload: { ...STEP, run } }];
}
const closed = (at: number): Timed => [at, { type: 'breaker.closed', payload: STEP }];
const five = (from: number): readonly Timed[] => [0, 1, 2, 3, 4].map((nth) => failed(from + nth));

function after(events: readonly Timed[]): Breaker | undefined {
  const folded = events.map(stored).reduce<Breakers>(foldBreakers, NO_BREAKERS);
  return folded.get(breakerId(STEP));
}

describe('the circuit breaker of a step', () => {
  const cases: readonly [why: string, events: readonly Timed[], now: number, state: string][] = [
    ['is closed before the first failure', [], 0, 'closed'],
    ['stays closed after four failures', five(0).slice(1), 10, 'closed'],
    ['opens with the fifth', five(0), 10, 'open'],
    [
      'does not count a failure that is five minutes old',
      [failed(0), ...five(BREAKER_WITHIN_MS).slice(1)],
      BREAKER_WITHIN_MS + 10,
      'closed',
    ],
    ['is open for five minutes', five(0), BREAKER_WITHIN_MS + 3, 'open'],
    ['is half open after that', five(0), BREAKER_WITHIN_MS + 4, 'half-open'],
    ['is half open while a run tries the step', [...five(0), probed(9, 'b')], 10, 'half-open'],
    [
      'is open again after that run has failed',
      [...five(0), probed(9, 'b'), failed(MINUTE, 'b')],
      BREAKER_WITHIN_MS + 10,
      'open',
    ],
    [
      'stays half open if another run, which had begun before, fails meanwhile',
      [...five(0), probed(9, 'b'), failed(10, 'c')],
      11,
      'half-open',
    ],
    ['is closed after a pass, or by a person', [...five(0), closed(9)], 10, 'closed'],
    ['counts from the start after that', [...five(0), closed(9), failed(10)], 11, 'closed'],
    [
      'has nothing to do with other steps',
      five(0).map(([at]) => failed(at, 'a', 'review')),
      10,
      'closed',
    ],
  ];
  for (const [why, events, now, state] of cases)
    test(why, () => {
      const breaker = after(events);
      assert.equal(breaker === undefined ? 'closed' : stateAt(breaker, now), state);
    });

  test('keeps a bounded number of steps, and drops the one that failed longest ago', () => {
    const events = Array.from({ length: BREAKERS_MAX + 1 }, (_, nth) =>
      stored(failed(nth, 'a', `step ${nth}`)),
    );
    const kept = events.reduce<Breakers>(foldBreakers, NO_BREAKERS);
    assert.deepEqual([kept.size, [...kept.values()][0]?.step], [BREAKERS_MAX, 'step 1']);
  });
});

describe('a step that is about to begin', () => {
  const visitor = { run: 'b', isForced: false, isProbeOver: false };
  const pass = (isCounted: boolean) => ({ kind: 'pass', isCounted });
  const OPEN =
    'its circuit breaker is open, because the step failed 5 times in a row, in this run or in others, the last time because: crashed';
  const BUSY = 'its circuit breaker is half open, and run c tries it now';
  const tried = [...five(0), probed(9, 'c')];
  const cases: readonly [
    why: string,
    events: readonly Timed[],
    now: number,
    more: Partial<typeof visitor>,
    expected: object,
  ][] = [
    ['begins if it never failed', [], 0, {}, pass(false)],
    ['begins after a few failures, and its pass counts', [failed(0)], 1, {}, pass(true)],
    ['does not begin while the breaker is open', five(0), 9, {}, { kind: 'open', why: OPEN }],
    ['is tried if a person says so', five(0), 9, { isForced: true }, { kind: 'probe' }],
    ['is tried after five minutes', five(0), BREAKER_WITHIN_MS + 4, {}, { kind: 'probe' }],
    ['waits while another run tries it', tried, 10, {}, { kind: 'open', why: BUSY }],
    [
      'waits for that run also if a person says so',
      tried,
      10,
      { isForced: true },
      { kind: 'open', why: BUSY },
    ],
    ['is tried again by the same run after a crash', tried, 10, { run: 'c' }, pass(true)],
    [
      'is tried by another run if that one ended without a result',
      tried,
      BREAKER_WITHIN_MS + 4,
      { isProbeOver: true },
      { kind: 'probe' },
    ],
  ];
  for (const [why, events, now, more, expected] of cases)
    test(why, () =>
      assert.deepEqual(admitVisit(after(events), now, { ...visitor, ...more }), expected),
    );
});

test('whatever happens, at most one run tries an open step, and an open one has failed often enough', () => {
  const act = fc.record({
    run: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom('visits', 'forces', 'fails', 'fails', 'fails', 'passes'),
    waitMs: fc.constantFrom(0, 1, 1000, MINUTE, BREAKER_WITHIN_MS),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      let breakers = NO_BREAKERS;
      let now = 1;
      let inARow = 0;
      const write = (event: Timed): void => {
        breakers = foldBreakers(breakers, stored(event));
      };
      for (const { run, kind, waitMs } of acts) {
        now += waitMs;
        const breaker = breakers.get(breakerId(STEP));
        if (kind === 'fails') {
          inARow += 1;
          write(failed(now, run));
        } else if (kind === 'passes') {
          inARow = 0;
          write(closed(now));
        } else {
          const isForced = kind === 'forces';
          const admission = admitVisit(breaker, now, { run, isForced, isProbeOver: false });
          const isOpen = breaker !== undefined && stateAt(breaker, now) !== 'closed';
          if (admission.kind === 'pass' && isOpen) assert.equal(breaker.probe, run);
          if (admission.kind === 'probe') {
            assert.equal(breaker?.probe, null, 'one run tries it');
            write(probed(now, run));
          }
          if (admission.kind === 'open') assert.ok(inARow >= BREAKER_FAILURES_MAX);
        }
        const folded = breakers.get(breakerId(STEP));
        if (folded === undefined) continue;
        const view = toBreakerView(folded, now);
        assert.ok(view.failures <= BREAKER_FAILURES_MAX);
        assert.equal(view.until !== null, view.state === 'open');
      }
    }),
    { numRuns: 300 },
  );
});
