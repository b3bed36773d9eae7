import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Hold } from '../../engine/limits.ts';
import { describeHold } from './capacity.ts';

describe('a hold in words', () => {
  const cases: readonly [hold: Hold, expected: string][] = [
    [
      { kind: 'limit', key: 'agent:claude::::', max: 2, name: 'main' },
      'agent main at its limit of 2',
    ],
    [{ kind: 'limit', key: 'agent:claude::::', max: 2 }, 'agent claude at its limit of 2'],
    [{ kind: 'limit', key: 'project:/home/me/shop', max: 1 }, 'project shop at its limit of 1'],
    [{ kind: 'limit', key: 'attempts', max: 4 }, 'the owner at its limit of 4 attempts'],
    [{ kind: 'limit', key: 'attempts', max: 1 }, 'the owner at its limit of 1 attempt'],
    [
      { kind: 'rate', key: 'attempts', max: 6, perMs: 60_000 },
      'the owner at its limit of 6 starts in 1m00s',
    ],
    [{ kind: 'queue' }, 'other runs are ahead of it'],
  ];
  for (const [hold, expected] of cases)
    test(expected, () => assert.equal(describeHold(hold), expected));
});
