import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NewOwnerEvent, OwnerEvent } from '../../protocol/event.ts';
import { describeInterruption, findOwnerEnds } from './owner-ends.ts';

function started(aliveAt?: number): NewOwnerEvent {
  const alive = aliveAt === undefined ? {} : { aliveAt: aliveAt * 1000 };
  return { type: 'owner.started', payload: { pid: 1, version: '1.0.0', ...alive } };
}

function stopped(reason: string): NewOwnerEvent {
  return { type: 'owner.stopped', payload: { reason } };
}

type Facts = readonly (readonly [second: number, event: NewOwnerEvent])[];

function ownerFacts(all: Facts): readonly OwnerEvent[] {
  return all.map(([second, event], index) => ({
    ...event,
    ...{ id: index + 1, stream: 'owner', seq: index + 1, v: 1, at: second * 1000 },
  }));
}

describe('why an attempt from second 10 was interrupted, as recorded at second 30', () => {
  const cases: readonly [why: string, facts: Facts, expected: string][] = [
    [
      'a person ended the owner',
      [
        [0, started()],
        [20, stopped('supervisor down')],
        [30, started(20)],
      ],
      'the owner was ended with supervisor down at 1970-01-01T00:00:20.000Z',
    ],
    [
      'an older version recorded the same in other words',
      [
        [0, started()],
        [20, stopped('asked by a client')],
        [30, started()],
      ],
      'the owner was ended with supervisor down at 1970-01-01T00:00:20.000Z',
    ],
    [
      'a signal ended the owner',
      [
        [0, started()],
        [20, stopped('a signal')],
        [30, started()],
      ],
      'the owner ended at 1970-01-01T00:00:20.000Z (a signal)',
    ],
    [
      'the owner was killed, and an earlier one was not',
      [
        [0, started()],
        [5, stopped('supervisor down')],
        [6, started(5)],
        [30, started(25)],
      ],
      'the owner process died, last seen at 1970-01-01T00:00:25.000Z',
    ],
    [
      'the owner of an older version was killed',
      [
        [0, started()],
        [30, started()],
      ],
      'the owner process died',
    ],
    [
      'two owners ended in between: the first one had started it',
      [
        [0, started()],
        [20, stopped('supervisor down')],
        [25, started(20)],
        [30, started(26)],
      ],
      'the owner was ended with supervisor down at 1970-01-01T00:00:20.000Z',
    ],
    ['the facts of the owners are not known', [], 'the owner ended'],
    ['no owner ended in between', [[0, started()]], 'the owner ended'],
  ];
  for (const [why, facts, expected] of cases)
    test(why, () => {
      const ends = findOwnerEnds(ownerFacts(facts));
      assert.equal(describeInterruption(ends, { begunAt: 10_000, endedAt: 30_000 }), expected);
    });
});
