import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewOwnerEvent, OwnerEvent } from '../../protocol/event.ts';
import type { Downtime } from './downtimes.ts';
import { describeDowntime, findDowntimes, wasActive } from './downtimes.ts';

const MINUTE = 60_000;

function started(aliveMinute?: number): NewOwnerEvent {
  const alive = aliveMinute === undefined ? {} : { aliveAt: aliveMinute * MINUTE };
  return { type: 'owner.started', payload: { pid: 1, version: '1.0.0', ...alive } };
}

const STOPPED: NewOwnerEvent = { type: 'owner.stopped', payload: { reason: 'idle' } };
const PRUNED: NewOwnerEvent = {
  type: 'prune.ended',
  payload: { runs: 1, bytes: 1, remaining: 0 },
};

function facts(...all: readonly [minute: number, event: NewOwnerEvent][]): readonly OwnerEvent[] {
  return all.map(([minute, event], index) => ({
    ...event,
    ...{ id: index + 1, stream: 'owner', seq: index + 1, v: 1, at: minute * MINUTE },
  }));
}

describe('the time without an owner', () => {
  const cases: [why: string, given: readonly OwnerEvent[], minutes: [number, number][]][] = [
    ['nothing before the first owner', facts([5, started()]), []],
    [
      'from the last sign of life of one that was killed',
      facts([0, started()], [25, started(10)]),
      [[10, 25]],
    ],
    [
      'from the stop of one that stopped in order',
      facts([0, started()], [10, STOPPED], [25, started(10)]),
      [[10, 25]],
    ],
    [
      'from that stop too, if an older version did not record the last sign of life',
      facts([0, started()], [10, STOPPED], [25, started()]),
      [[10, 25]],
    ],
    ['unknown for an older version that was killed', facts([0, started()], [25, started()]), []],
    ['none for a restart', facts([0, started()], [10, STOPPED], [10.5, started(10)]), []],
    ['none if the clock was set back', facts([50, started()], [25, started(40)]), []],
    [
      'twice, with other facts in between',
      facts([0, started()], [5, PRUNED], [20, started(5)], [30, PRUNED], [50, started(30)]),
      [
        [5, 20],
        [30, 50],
      ],
    ],
  ];
  for (const [why, given, minutes] of cases)
    test(`is ${why}`, () => {
      const expected = minutes.map(([from, to]) => ({ from: from * MINUTE, to: to * MINUTE }));
      assert.deepEqual(findDowntimes(given), expected);
    });

  test('concerns the runs that were active before and after it', () => {
    const down: Downtime = { from: 10, to: 20 };
    const spans: [submittedAt: number, endedAt: number | null][] = [
      [5, null],
      [5, 21],
      [5, 9],
      [20, null],
    ];
    assert.deepEqual(
      spans.map(([submittedAt, endedAt]) => wasActive(down, { submittedAt, endedAt })),
      [true, true, false, false],
    );
  });

  test('is described with its length', () => {
    assert.equal(
      describeDowntime({ from: 0, to: 15 * MINUTE }),
      'no owner ran from 1970-01-01T00:00:00.000Z to 1970-01-01T00:15:00.000Z (15m00s), and the run stood still',
    );
  });
});
