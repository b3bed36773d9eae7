import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { Limit, LimitWish } from './limits.ts';
import { keyOf, LimitBook } from './limits.ts';

const ONE: readonly Limit[] = [
  { key: 'x', concurrencyMax: 1 },
  { key: 'y', concurrencyMax: 1 },
];
const TWO_A_SECOND: readonly Limit[] = [{ key: 'x', rate: { startsMax: 2, perMs: 1000 } }];

/** Keys with a space between them; `x=2`: up to two of x for this one. */
type Step = readonly ['ask', string, string] | readonly ['end' | 'forget', string] | ['at', number];

/** Who was let in, in order, and who is left in the line. */
function play(limits: readonly Limit[], steps: readonly Step[]): string {
  const book = new LimitBook(limits);
  const wishesOf = new Map<string, readonly LimitWish[]>();
  const keysOf = (who: string): readonly string[] => (wishesOf.get(who) ?? []).map(keyOf);
  const started: string[] = [];
  let now = at(0);
  const ask = (who: string): void => {
    if (!book.admit(who, wishesOf.get(who) ?? [], now)) return;
    book.started(keysOf(who), now);
    started.push(who);
  };
  for (const step of steps) {
    switch (step[0]) {
      case 'ask':
        wishesOf.set(step[1], step[2] === '' ? [] : step[2].split(' ').map(wishOf));
        ask(step[1]);
        break;
      case 'end':
        book.ended(keysOf(step[1]));
        break;
      case 'forget':
        book.forget(step[1]);
        break;
      case 'at':
        now = at(step[1]);
    }
  }
  for (let ready = book.ready(now); ready.length > 0; ready = book.ready(now)) ready.map(ask);
  return `${started.join(' ')} | ${book.waiting().join(' ')}`.trim();
}

function wishOf(text: string): LimitWish {
  const [key = '', max] = text.split('=');
  return max === undefined ? key : { key, max: Number(max) };
}

describe('a limit of one’s own', () => {
  const cases: [why: string, steps: Step[], expected: string][] = [
    [
      'is above what holds for all',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x=2'],
        ['ask', 'c', 'x=2'],
      ],
      'a b | c',
    ],
    [
      'or below it: whoever wants it alone waits for all that run',
      [
        ['ask', 'a', 'y=3'],
        ['ask', 'b', 'y=3'],
        ['ask', 'c', 'y=1'],
        ['end', 'a'],
      ],
      'a b | c',
    ],
    [
      'and begins when they have ended',
      [
        ['ask', 'a', 'y=3'],
        ['ask', 'b', 'y=3'],
        ['ask', 'c', 'y=1'],
        ['end', 'a'],
        ['end', 'b'],
      ],
      'a b c |',
    ],
    [
      'holds for a key that nothing else limits',
      [
        ['ask', 'a', 'z=1'],
        ['ask', 'b', 'z=1'],
        ['ask', 'c', 'z'],
      ],
      'a c | b',
    ],
    [
      'the stricter of two holds',
      [
        ['ask', 'a', 'z=2'],
        ['ask', 'b', 'z=2 z=1'],
        ['ask', 'c', 'z=1 z=2'],
        ['ask', 'd', 'z=1 z'],
      ],
      'a | b c d',
    ],
    [
      'equals keep their order',
      [
        ['ask', 'a', 'x=1'],
        ['ask', 'b', 'x=1'],
        ['ask', 'c', 'x=1'],
        ['end', 'a'],
      ],
      'a b | c',
    ],
  ];
  for (const [why, steps, expected] of cases)
    test(why, () => assert.equal(play(ONE, steps), expected));

  test('of one that is stricter than all others keeps it waiting for some time, not for ever', () => {
    const book = new LimitBook([]);
    const [easy, strict] = [[{ key: 'x', max: 2 }], [{ key: 'x', max: 1 }]];
    for (const token of ['0', '1']) assert.equal(book.admit(token, easy, at(0)), true);
    assert.equal(book.admit('strict', strict, at(0)), false);
    for (let round = 2; round < 100; round += 1) {
      book.admit(String(round), easy, at(0));
      book.ended(['x']);
      for (const token of book.ready(at(0))) {
        if (token === 'strict') return;
        book.admit(token, easy, at(0));
      }
    }
    assert.fail('it was passed over a hundred times');
  });
});

test('what somebody had before is theirs, however full it is', () => {
  const book = new LimitBook(ONE);
  assert.equal(book.admit('a', ['x'], at(0)), true);
  book.reclaim(['x']);
  book.ended(['x']);
  assert.equal(book.admit('b', ['x'], at(0)), false);
  book.ended(['x']);
  assert.equal(book.admit('b', ['x'], at(0)), true);
});

describe('a limit on how many run at once', () => {
  const cases: [why: string, steps: Step[], expected: string][] = [
    [
      'a key without a limit lets everybody in',
      [
        ['ask', 'a', 'z'],
        ['ask', 'b', 'z'],
      ],
      'a b |',
    ],
    [
      'no key at all is free',
      [
        ['ask', 'a', ''],
        ['ask', 'b', ''],
      ],
      'a b |',
    ],
    [
      'the second waits',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
    [
      'who asks again keeps one place',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
    [
      'the next in line follows',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'c', 'x'],
        ['end', 'a'],
      ],
      'a b | c',
    ],
    [
      'who comes when there is room stands behind who waited for it',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['end', 'a'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'who needs another key is not held up',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x y'],
        ['ask', 'c', 'y'],
      ],
      'a c | b',
    ],
    [
      'who leaves the line frees what was kept for it',
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
      'an end of what never began changes nothing',
      [
        ['end', 'a'],
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
      ],
      'a | b',
    ],
  ];
  for (const [why, steps, expected] of cases)
    test(why, () => assert.equal(play(ONE, steps), expected));

  test('a starred key limits each of its kind by itself', () => {
    const each: readonly Limit[] = [{ key: 'p:*', concurrencyMax: 1 }];
    const steps: Step[] = [
      ['ask', 'a', 'p:1'],
      ['ask', 'b', 'p:1'],
      ['ask', 'c', 'p:2'],
      ['ask', 'd', 'q'],
    ];
    assert.equal(play(each, steps), 'a c d | b');
  });
});

describe('a limit on how often something starts', () => {
  const cases: [why: string, steps: Step[], expected: string][] = [
    [
      'the third in a second waits',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'that an earlier one has ended makes no room',
      [
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['end', 'a'],
        ['ask', 'c', 'x'],
      ],
      'a b | c',
    ],
    [
      'the window slides with each start',
      [
        ['ask', 'a', 'x'],
        ['at', 500],
        ['ask', 'b', 'x'],
        ['at', 1000],
        ['ask', 'c', 'x'],
        ['ask', 'd', 'x'],
      ],
      'a b c | d',
    ],
    [
      'a clock set back far counts the starts as of now',
      [
        ['at', 1e9],
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['at', 0],
        ['ask', 'c', 'x'],
        ['at', 999],
      ],
      'a b | c',
    ],
    [
      'and no longer than the window',
      [
        ['at', 1e9],
        ['ask', 'a', 'x'],
        ['ask', 'b', 'x'],
        ['at', 0],
        ['ask', 'c', 'x'],
        ['at', 1000],
      ],
      'a b c |',
    ],
  ];
  for (const [why, steps, expected] of cases)
    test(why, () => assert.equal(play(TWO_A_SECOND, steps), expected));

  test('starts of an earlier owner count, in whatever order they are told', () => {
    for (const starts of [
      [5000, 4900, 100],
      [100, 4900, 5000],
    ]) {
      const book = new LimitBook(TWO_A_SECOND);
      for (const start of starts) book.remember(['x'], at(start), at(5000));
      assert.equal(book.admit('a', ['x'], at(5000)), false);
      assert.equal(book.nextChance(at(5000)), 5900);
      assert.equal(book.admit('a', ['x'], at(5900)), true);
    }
  });

  test('counts from the start, however long that was in coming', () => {
    const book = new LimitBook([{ key: 'x', rate: { startsMax: 1, perMs: 1000 } }]);
    assert.equal(book.admit('a', ['x'], at(0)), true);
    assert.equal(book.admit('b', ['x'], at(5000)), false);
    assert.equal(book.nextChance(at(5000)), undefined);
    book.started(['x'], at(6000));
    assert.equal(book.nextChance(at(6000)), at(7000));
    assert.equal(book.admit('b', ['x'], at(6999)), false);
    assert.equal(book.admit('b', ['x'], at(7000)), true);
  });

  test('what was admitted and never began has used up nothing', () => {
    const book = new LimitBook([
      { key: 'x', concurrencyMax: 1, rate: { startsMax: 1, perMs: 1000 } },
    ]);
    assert.equal(book.admit('a', ['x'], at(0)), true);
    book.withdrawn(['x']);
    assert.equal(book.admit('b', ['x'], at(0)), true);
  });

  test('nobody waits for a rate: there is no next chance', () => {
    const book = new LimitBook([...ONE, ...TWO_A_SECOND]);
    assert.equal(book.nextChance(at(0)), undefined);
    book.admit('a', ['y'], at(0));
    book.admit('b', ['y'], at(0));
    assert.equal(book.nextChance(at(0)), undefined);
  });
});

test('the book tells when the line has changed, and not otherwise', () => {
  let told = 0;
  const book = new LimitBook(ONE, () => (told += 1));
  const heard = (): number => {
    const count = told;
    told = 0;
    return count;
  };
  book.admit('a', ['x'], at(0));
  assert.equal(heard(), 0);
  book.admit('b', ['x'], at(0));
  assert.equal(heard(), 1, 'b joins the line');
  book.admit('b', ['x'], at(0));
  assert.equal(heard(), 0, 'b is in it already');
  book.ended(['x']);
  assert.equal(heard(), 1, 'there is room');
  book.admit('b', ['x'], at(0));
  assert.equal(heard(), 1, 'b leaves the line: whoever was kept back by it may start');
  book.forget('nobody');
  book.ended([]);
  assert.equal(heard(), 0);
});

test('whoever needs less than when it joined the line is let in by what it needs now', () => {
  const book = new LimitBook(ONE);
  assert.equal(book.admit('a', ['x', 'y'], at(0)), true);
  assert.equal(book.admit('b', ['x', 'y'], at(0)), false);
  assert.equal(book.admit('b', ['y'], at(0)), false);
  book.ended(['y']);
  assert.deepEqual(book.ready(at(0)), ['b']);
  assert.equal(book.admit('b', ['y'], at(0)), true);
});
