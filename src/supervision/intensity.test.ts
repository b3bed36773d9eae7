import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import type { Instant } from '../base/clock.ts';
import { at } from '../base/clock.ts';
import type { Intensity, Restarts } from './intensity.ts';
import { admitRestart } from './intensity.ts';

const twoInTen: Intensity = { restartsMax: 2, withinMs: 10 };

describe('one more restart', () => {
  const cases: [why: string, recent: number[], Intensity, now: number, number[] | undefined][] = [
    ['the first is allowed', [], twoInTen, 0, [0]],
    ['so is the last that the maximum allows', [0], twoInTen, 1, [0, 1]],
    ['one too many in the window is refused', [0, 1], twoInTen, 5, undefined],
    ['a restart exactly one window ago still counts', [0, 1], twoInTen, 10, undefined],
    ['a moment later it is forgotten', [0, 1], twoInTen, 11, [1, 11]],
    ['a maximum of zero allows none', [], { restartsMax: 0, withinMs: 10 }, 99, undefined],
    ['a maximum of one remembers one', [0], { restartsMax: 1, withinMs: 10 }, 11, [11]],
  ];
  for (const [why, recent, intensity, now, expected] of cases) {
    test(why, () => assert.deepEqual(admitRestart(recent.map(at), intensity, at(now)), expected));
  }
});

/** The definition, read literally: over the whole history, count what falls inside the window. */
function admitSlowly(history: readonly Instant[], intensity: Intensity, now: Instant): boolean {
  const inWindow = history.filter((then) => now - then <= intensity.withinMs);
  return inWindow.length + 1 <= intensity.restartsMax;
}

test('remembering only the newest restarts never changes what is allowed', () => {
  fc.assert(
    fc.property(
      fc.record({ restartsMax: fc.nat(5), withinMs: fc.integer({ min: 1, max: 100 }) }),
      fc.array(fc.nat(60), { maxLength: 40 }),
      (intensity, gapsMs) => {
        const history: Instant[] = [];
        let recent: Restarts = [];
        let now = at(0);
        for (const gapMs of gapsMs) {
          now = at(now + gapMs);
          const kept = admitRestart(recent, intensity, now);
          assert.equal(kept !== undefined, admitSlowly(history, intensity, now));
          if (kept === undefined) continue; // refused: as if it had not been asked
          assert.ok(kept.length <= intensity.restartsMax);
          history.push(now);
          recent = kept;
        }
      },
    ),
  );
});
