import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { at } from '../base/clock.ts';
import type { Limit } from './limits.ts';
import { LimitPool } from './limits.ts';

test('a command that needs two keys that are never free together is admitted in the end', () => {
  const pool = new LimitPool([
    { key: 'x', concurrencyMax: 1 },
    { key: 'y', concurrencyMax: 1 },
  ]);
  pool.admit('x0', ['x'], at(0));
  pool.admit('y0', ['y'], at(0));
  pool.admit('both', ['x', 'y'], at(0));
  for (let round = 1; round < 100; round += 1) {
    for (const key of ['x', 'y']) {
      pool.admit(`${key}${round}`, [key], at(0));
      pool.ended([key]);
      for (const token of pool.ready(at(0))) {
        if (token === 'both') return;
        assert.equal(pool.admit(token, [key], at(0)), true);
      }
    }
  }
  assert.fail('both was passed over a hundred times');
});

test('a command that waits for the slot of a run blocks no key that this run needs', () => {
  const pool = new LimitPool([
    { key: 'x', concurrencyMax: 1 },
    { key: 'p', concurrencyMax: 1, countsRuns: true },
  ]);
  pool.admit('holder-1', ['p'], at(0));
  pool.admit('patient', ['x', 'p'], at(0));
  for (let round = 0; round < 100; round += 1) {
    assert.equal(pool.admit(`other-${round}`, ['x'], at(0)), true);
    pool.ended(['x']);
  }
  assert.equal(pool.admit('holder-2', ['x'], at(0)), true);
  pool.ended(['x', 'p']);
  assert.deepEqual(pool.ready(at(0)), ['patient']);
});

test('no limit is exceeded, equal requests keep their order, and the queue empties in the end', () => {
  const limits: readonly Limit[] = [
    { key: 'a', concurrencyMax: 1 },
    { key: 'b', concurrencyMax: 2 },
    { key: 'r', rate: { startsMax: 2, perMs: 50 } },
  ];
  const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'r', 'free'), { maxLength: 3 });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('ask' as const), keys }),
    fc.record({ kind: fc.constant('end' as const), which: fc.nat(9) }),
    fc.record({ kind: fc.constant('sleep' as const), ms: fc.nat(40) }),
    fc.record({ kind: fc.constant('forget' as const), which: fc.nat(9) }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), (steps) => {
      const pool = new LimitPool(limits);
      const wants = new Map<string, readonly string[]>();
      const running: string[] = [];
      const startsOfR: number[] = [];
      let now = 0;
      const count = (key: string): number =>
        running.filter((token) => wants.get(token)?.includes(key)).length;
      const ask = (token: string): void => {
        const wanted = wants.get(token) ?? [];
        if (!pool.admit(token, wanted, at(now))) return;
        const ready = pool.ready(at(now)); // these are still ready after the admission
        const same = pool
          .waiting()
          .filter((other) => sameKeys(wants.get(other), wanted) && !ready.includes(other));
        assert.ok(
          same.every((other) => Number(other) > Number(token)),
          'an equal was overtaken',
        );
        pool.started(wanted, at(now));
        running.push(token);
        assert.ok(count('a') <= 1 && count('b') <= 2, 'too many run');
        if (!wanted.includes('r')) return;
        startsOfR.push(now);
        assert.ok(startsOfR.filter((start) => now - start < 50).length <= 2, 'too many starts');
      };
      const end = (token: string | undefined): void => {
        if (token === undefined) return;
        running.splice(running.indexOf(token), 1);
        pool.ended(wants.get(token) ?? []);
      };
      for (const [number, one] of steps.entries()) {
        if (one.kind === 'ask') {
          wants.set(String(number), one.keys);
          ask(String(number));
        }
        if (one.kind === 'end') end(running[one.which]);
        if (one.kind === 'sleep') now += one.ms;
        if (one.kind === 'forget') pool.forget(pool.waiting()[one.which] ?? '');
        // Ready commands ask again in no particular order.
        if (number % 3 === 0) for (const token of pool.ready(at(now)).toReversed()) ask(token);
      }
      for (let round = 0; round <= 2 * steps.length; round += 1) {
        if (pool.waiting().length === 0) return;
        end(running[0]);
        now += 50;
        for (const token of pool.ready(at(now))) ask(token);
      }
      assert.deepEqual(pool.waiting(), []);
    }),
    { numRuns: 300 },
  );
});

function sameKeys(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.toSorted().join() === b.toSorted().join();
}
