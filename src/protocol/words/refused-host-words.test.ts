import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRefusedHost } from './refused-host-words.ts';

const CASES: readonly (readonly [why: string, refused: string, words: string])[] = [
  ['outside of the list', 'a.test:1 (not-allowed)', 'a.test:1, because it is not on the list'],
  [
    'with an address that is reserved',
    'a.test:443 (special-address)',
    'a.test:443, because its name leads to an address of this machine or to one that is reserved',
  ],
  [
    'that is http',
    'localhost:4873 (no https)',
    'localhost:4873, because it is http, and only https is let through',
  ],
  ['with a reason that has no words', 'a.test:1 (no-token)', 'a.test:1 (no-token)'],
  ['without a reason', 'a.test:443', 'a.test:443'],
];

for (const [why, refused, words] of CASES)
  test(`a refused host ${why} is described`, () =>
    assert.equal(describeRefusedHost(refused), words));
