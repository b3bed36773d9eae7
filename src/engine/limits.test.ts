import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { LimitStep } from '../../test/support/drive-limits.ts';
import { ONE_EACH, driveLimits } from '../../test/support/drive-limits.ts';
import type { Limit } from './limits.ts';
import { LimitPool } from './limits.ts';

describe('a limit on how many run at once', () => {
  const cases: [why: string, steps: LimitStep[], expected: string][] = [
    [
      'a key without a limit admits every command',
      [
        ['ask', 'a', 'z'],
        ['ask', 'b', 'z'],
      ],
      'a b |',
    ],
    [
      'a request without a key is always admitted',
      [
        ['ask', 'a', ''],
        ['ask', 'b', ''],
      ],
      'a b |',
    ],
    [
      'the second command waits',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
    [
      'a command that asks again keeps one position',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
    [
      'the next command in the queue follows',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'c', 'x'],
        ['end', 'a'],
      ],
      'a b | c',
    ],
    [
      'a new command waits behind those that waited for the free slot',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['end', 'a'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'a command that needs another key is not blocked',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x y'],
        ['ask', 'c', 'y'],
      ],
      'a c | b',
    ],
    [
      'a command that leaves the queue frees its claims',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['end', 'a'],
        ['ask', 'c', 'x'],
        ['forget', 'b'],
      ],
      'a c |',
    ],
    [
      'a key named twice counts once',
      [
        ['ask', 'a', 'x x'],
        ['end', 'a'],
        ['ask', 'b', 'x'],
      ],
      'a b |',
    ],
    [
      'an end without a start changes nothing',
      [
        ['end', 'a'],
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
  ];
  for (const [why, steps, expected] of cases)
    test(why, () => assert.equal(driveLimits(ONE_EACH, steps), expected));

  test('a starred key limits each key of its family separately', () => {
    const each: readonly Limit[] = [{ key: 'p:*', concurrencyMax: 1 }];
    const steps: LimitStep[] = [
      ['ask', 'a', 'p:1'],
      ['ask', 'b', 'p:1'],
      ['ask', 'c', 'p:2'],
      ['ask', 'd', 'q'],
    ];
    assert.equal(driveLimits(each, steps), 'a c d | b');
  });
});

test('a reclaimed slot counts, even if the limit is full', () => {
  const pool = new LimitPool(ONE_EACH);
  assert.equal(pool.admit('a', ['x'], at(0)), true);
  pool.reclaim(['x']);
  pool.ended(['x']);
  assert.equal(pool.admit('b', ['x'], at(0)), false);
  pool.ended(['x']);
  assert.equal(pool.admit('b', ['x'], at(0)), true);
});

test('the pool reports a change of the queue, and nothing else', () => {
  let changes = 0;
  const pool = new LimitPool(ONE_EACH, () => (changes += 1));
  const changesSince = (): number => {
    const count = changes;
    changes = 0;
    return count;
  };
  pool.admit('a', ['x'], at(0));
  assert.equal(changesSince(), 0);
  pool.admit('b', ['x'], at(0));
  assert.equal(changesSince(), 1, 'b joins the queue');
  pool.admit('b', ['x'], at(0));
  assert.equal(changesSince(), 0, 'b is in it already');
  pool.ended(['x']);
  assert.equal(changesSince(), 1, 'a slot is free');
  pool.admit('b', ['x'], at(0));
  assert.equal(changesSince(), 1, 'b leaves the queue: commands behind it may start');
  pool.join('c', ['x']);
  assert.equal(changesSince(), 1, 'c joins the queue and asks for no slot yet');
  pool.join('c', ['x']);
  assert.equal(changesSince(), 0, 'c is in it already');
  pool.forget('unknown');
  pool.ended([]);
  assert.equal(changesSince(), 0);
});

test('a command that needs fewer keys than when it joined the queue is admitted by its current needs', () => {
  const pool = new LimitPool(ONE_EACH);
  assert.equal(pool.admit('a', ['x', 'y'], at(0)), true);
  assert.equal(pool.admit('b', ['x', 'y'], at(0)), false);
  assert.equal(pool.admit('b', ['y'], at(0)), false);
  pool.ended(['y']);
  assert.deepEqual(pool.ready(at(0)), ['b']);
  assert.equal(pool.admit('b', ['y'], at(0)), true);
});

describe('why a command waits', () => {
  const limits: readonly Limit[] = [
    { key: 'x', concurrencyMax: 1 },
    { key: 'fast', rate: { startsMax: 1, perMs: 60_000 } },
  ];
  const hold = (...requests: readonly [token: string, ...keys: string[]][]): unknown => {
    const pool = new LimitPool(limits);
    for (const [token, ...keys] of requests) pool.admit(token, keys, at(0));
    return pool.holdOf('run', at(0));
  };

  test('nothing waits', () => assert.equal(hold(['run/a', 'x']), undefined));
  test('a full key', () =>
    assert.deepEqual(hold(['other/a', 'x'], ['run/a', 'free', 'x']), {
      kind: 'limit',
      key: 'x',
      max: 1,
    }));
  test("the command's own maximum", () => {
    const pool = new LimitPool(limits);
    pool.admit('other/a', ['y'], at(0));
    pool.admit('run/a', [{ key: 'y', max: 1 }], at(0));
    assert.deepEqual(pool.holdOf('run', at(0)), { kind: 'limit', key: 'y', max: 1 });
  });
  test('the name that the waiting command gives the key', () => {
    const pool = new LimitPool(limits);
    pool.admit('other/a', [{ key: 'y', max: 1, name: 'codex' }], at(0));
    pool.admit('run/a', [{ key: 'y', max: 1, name: 'claude' }], at(0));
    const expected = { kind: 'limit', key: 'y', max: 1, name: 'claude' };
    assert.deepEqual(pool.holdOf('run', at(0)), expected);
  });
  test('a rate', () =>
    assert.deepEqual(hold(['other/a', 'fast'], ['run/a', 'fast']), {
      kind: 'rate',
      key: 'fast',
      max: 1,
      perMs: 60_000,
    }));
  test('commands that are ahead', () => {
    const pool = new LimitPool(limits);
    for (const token of ['first/a', 'second/a', 'run/a']) pool.admit(token, ['x'], at(0));
    pool.ended(['x']);
    assert.deepEqual(pool.holdOf('run', at(0)), { kind: 'queue' });
  });
});
