import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failed, turn, turns, watchScript } from '../../test/support/turn-script.ts';
import type { DetectorName } from '../protocol/contracts/steering-contract.ts';
import { DEFAULT_STEERING, DETECTORS } from '../protocol/contracts/steering-contract.ts';
import type { SteeringCase } from '../reports/steering-report.ts';
import { steeringReport } from '../reports/steering-report.ts';
import { promotedMode, withNumbers } from './promotion.ts';
import { choosePolicy, isHeldOut } from './steering-policy.ts';

type Counts = readonly [failed: number, all: number];

/** Judged runs with a loop, of which the agent was told in some. */
function runs(untold: Counts, told: Counts, rest: Partial<SteeringCase> = {}) {
  const make = ([bad, all]: Counts, isTold: boolean): readonly SteeringCase[] =>
    Array.from({ length: all }, (_, nth) => ({
      ...{ run: `${isTold}-${nth}`, detector: 'loop', model: 'm', channel: 'hook' },
      ...{ told: isTold, failed: nth < bad },
      ...rest,
    }));
  return [...make(untold, false), ...make(told, true)];
}

describe('a detector in the mode auto', () => {
  const pays = runs([80, 100], [10, 100]);
  const cases: [why: string, given: readonly SteeringCase[], mode: 'shadow' | 'steer'][] = [
    ['only watches while there are no numbers', [], 'shadow'],
    ['only watches while nothing was ever sent', runs([90, 100], [0, 0]), 'shadow'],
    ['only watches with 49 judged runs', runs([24, 24], [0, 25]), 'shadow'],
    ['speaks with 50 of them, if they are clear', runs([25, 25], [0, 25]), 'steer'],
    ['speaks if told runs fail far less often', pays, 'steer'],
    ['only watches if the bounds overlap', runs([50, 100], [45, 100]), 'shadow'],
    ['only watches if a message harms', runs([10, 100], [60, 100]), 'shadow'],
    [
      'falls back when its numbers fall',
      [...pays, ...runs([0, 0], [190, 200]).map((one) => ({ ...one, run: `later-${one.run}` }))],
      'shadow',
    ],
    ['ignores the numbers of another model', runs([80, 100], [10, 100], { model: 'n' }), 'shadow'],
    [
      'ignores the numbers of another channel',
      runs([80, 100], [10, 100], { channel: 'gateway' }),
      'shadow',
    ],
    [
      'ignores runs that no gate has judged',
      pays.map((one) => ({ ...one, failed: null })),
      'shadow',
    ],
  ];
  for (const [why, given, mode] of cases)
    test(why, () =>
      assert.equal(
        promotedMode(steeringReport(given), 'loop', { model: 'm', channel: 'hook' }),
        mode,
      ),
    );

  test('is one of many: a mode that you set stays, whatever the numbers say', () => {
    const modes = { loop: 'auto', stall: 'steer', cascade: 'off' } as const;
    const policy = choosePolicy({ ...DEFAULT_STEERING, modes }, { model: 'm', role: null });
    const place = { model: 'm', channel: 'hook' } as const;
    const decided = withNumbers(policy, steeringReport(pays), place).modes;
    const expected: Partial<Record<DetectorName, string>> = {
      ...{ loop: 'steer', stall: 'steer', cascade: 'off' },
    };
    assert.deepEqual(
      decided,
      Object.fromEntries(DETECTORS.map((name) => [name, expected[name] ?? 'shadow'])),
    );
  });

  test('is recorded as shadow until its numbers are known', () => {
    const script = turns(5, () => turn(failed('npm test')));
    const { found } = watchScript(script, { steering: { mode: 'auto', heldOut: 0 } });
    assert.deepEqual(found, ['6 loop shadow']);
  });

  test('holds runs out after its promotion too', () => {
    const held = Array.from({ length: 200 }, (_, nth) => isHeldOut(`run-${nth}`, 'loop', 0.1));
    assert.ok(held.includes(true) && held.includes(false));
  });
});
