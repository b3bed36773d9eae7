import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal, describeError, isRefusal } from './errors.ts';

const refusal = new Refusal({ code: 'run.not-found', message: 'There is no run x.' });

describe('what is a refusal', () => {
  const cases: [why: string, is: boolean, expected: boolean][] = [
    ['a refusal, whatever its code', isRefusal(refusal), true],
    ['a refusal with this code', isRefusal(refusal, 'run.not-found'), true],
    ['not one with another code', isRefusal(refusal, 'store.full'), false],
    ['not any other error', isRefusal(new Error('x')), false],
    ['not a thing that looks like one', isRefusal({ data: refusal.data }), false],
  ];
  for (const [why, is, expected] of cases) test(why, () => assert.equal(is, expected));
});

describe('one line about anything that was thrown', () => {
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
    ['a cause that is no error', new Error('a', { cause: 'b' }), 'Error: a (because: b)'],
    ['a string', 'no', 'no'],
    ['nothing', undefined, 'undefined'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['causes in a circle end', circle, /^Error: round \(because: TypeError: and round .*\)$/],
    ['what can not become a string', Object.create(null), 'something that can not be described'],
    ['an error that throws', broken, 'something that can not be described'],
  ];
  for (const [why, thrown, expected] of cases) {
    test(why, () => {
      const line = describeError(thrown);
      if (typeof expected === 'string') assert.equal(line, expected);
      else assert.match(line, expected);
    });
  }
});
