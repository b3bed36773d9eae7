import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Intensity } from './restart-window.ts';
import { RestartWindow } from './restart-window.ts';

const twoInTen: Intensity = { restartsMax: 2, withinMs: 10 };

describe('one more restart', () => {
  const cases: [why: string, past: number[], Intensity, now: number, boolean, then: number[]][] = [
    ['the first is allowed', [], twoInTen, 0, true, [0]],
    ['the last one within the maximum is allowed', [0], twoInTen, 1, true, [0, 1]],
    ['one too many in the window is refused', [0, 1], twoInTen, 5, false, [0, 1]],
    ['a restart exactly one window ago still counts', [0, 1], twoInTen, 10, false, [0, 1]],
    ['a restart outside the window is forgotten', [0, 1], twoInTen, 11, true, [1, 11]],
    ['a maximum of zero allows none', [], { restartsMax: 0, withinMs: 10 }, 99, false, []],
    ['a maximum of one remembers one', [0], { restartsMax: 1, withinMs: 10 }, 11, true, [11]],
    [
      'a history that is too long is cut to the newest restarts',
      [1, 2, 3],
      twoInTen,
      4,
      false,
      [2, 3],
    ],
  ];
  for (const [why, past, intensity, now, expected, then] of cases) {
    test(why, () => {
      const window = new RestartWindow(intensity, past);
      assert.deepEqual([window.admit(now), window.past], [expected, then]);
    });
  }
});

/** The definition: count the restarts of the whole history that fall inside the window. */
function admitSlowly(history: readonly number[], intensity: Intensity, now: number): boolean {
  const inWindow = history.filter((then) => now - then <= intensity.withinMs);
  return inWindow.length + 1 <= intensity.restartsMax;
}

test('the ring agrees with the definition, also after it is stored and read back', () => {
  fc.assert(
    fc.property(
      fc.record({ restartsMax: fc.nat(5), withinMs: fc.integer({ min: 1, max: 100 }) }),
      fc.array(fc.record({ gapMs: fc.nat(60), isReborn: fc.boolean() }), { maxLength: 40 }),
      (intensity, steps) => {
        const history: number[] = [];
        let window = new RestartWindow(intensity);
        let now = 0;
        for (const { gapMs, isReborn } of steps) {
          now += gapMs;
          if (isReborn) window = new RestartWindow(intensity, window.past);
          const isAllowed = admitSlowly(history, intensity, now);
          assert.equal(window.admit(now), isAllowed);
          if (isAllowed) history.push(now);
          assert.ok(window.past.length <= intensity.restartsMax);
        }
      },
    ),
  );
});
