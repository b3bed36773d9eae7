import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defined } from './defined.ts';

test('a key that is undefined is dropped, and null, false, 0 and "" are kept', () => {
  const given: { a?: number | undefined; b: null; c: boolean; d: number; e: string } = {
    a: undefined,
    b: null,
    c: false,
    d: 0,
    e: '',
  };
  const kept: { readonly a?: number; readonly b: null; readonly c: boolean } = defined(given);
  assert.deepEqual(Object.entries(kept), [
    ['b', null],
    ['c', false],
    ['d', 0],
    ['e', ''],
  ]);
});
