import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, describeError, isRefusal } from './errors.ts';

const refusal = new Refusal({ code: 'run.not-found', message: 'There is no run x.' });

describe('a refusal is recognized', () => {
  const cases: [why: string, is: boolean, expected: boolean][] = [
    ['with any code', isRefusal(refusal), true],
    ['with this code', isRefusal(refusal, 'run.not-found'), true],
    ['not with another code', isRefusal(refusal, 'store.full'), false],
    ['not if it is another error', isRefusal(new Error('x')), false],
    ['not if it is an object of the same form', isRefusal({ data: refusal.data }), false],
  ];
  for (const [why, is, expected] of cases) test(why, () => assert.equal(is, expected));
});

describe('any thrown value is described in one line', () => {
  const circle = new Error('round');
  circle.cause = new TypeError('and round', { cause: circle });
  const broken = new Error('x');
  Object.defineProperty(broken, 'message', {
    get: () => {
      throw new Error('no message either');
    },
  });
  const cases: [why: string, thrown: unknown, expected: string | RegExp][] = [
    ['an error', new RangeError('too far'), 'RangeError: too far'],
    ['a refusal', refusal, 'Refusal: There is no run x.'],
    ['a cause', new Error('a', { cause: new Error('b') }), 'Error: a (because: Error: b)'],
    ['a cause that is not an error', new Error('a', { cause: 'b' }), 'Error: a (because: b)'],
    ['a string', 'no', 'no'],
    ['undefined', undefined, 'undefined'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    [
      'a cycle of causes, which is cut',
      circle,
      /^Error: round \(because: TypeError: and round .*\)$/,
    ],
    [
      'an object that cannot become a string',
      Object.create(null),
      'an error that cannot be described',
    ],
    ['an error that throws', broken, 'an error that cannot be described'],
  ];
  for (const [why, thrown, expected] of cases) {
    test(why, () => {
      const line = describeError(thrown);
      if (typeof expected === 'string') assert.equal(line, expected);
      else assert.match(line, expected);
    });
  }
});
