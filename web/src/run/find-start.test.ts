import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findStart } from './find-start.ts';

const lines = [
  ['attempt-1: claude', 'I work.'],
  ['gate test: npm test', '# fail 0'],
  ['gate test: npm test', 'ok 1'],
  ['attempt-2: claude', 'again'],
  ['attempt-2: claude', 'an error in its words'],
  ['gate test: npm test', 'ok 1'],
  ['gate test: npm test', 'not ok 2 - adds'],
  ['gate test: npm test', 'Error: 3 !== 4'],
  ['gate testing: x', 'error'],
  ['gate npm run lint, on attempt 1', 'fine'],
  ['gate npm run lint, on attempt 1', 'error: no semicolon'],
].map(([title = '', text = '']) => ({ title, text, stream: 'stdout' as const }));

describe('the place where output opens', () => {
  const cases: [why: string, wanted: string, expected: number | undefined][] = [
    ['is the first failing line of the last run of a gate', 'gate test', 6],
    ['is the first line of an attempt', 'attempt-2', 3],
    ['is found for a gate that is named by its line', 'gate npm run lint', 10],
    ['is nowhere if nothing was printed', 'gate lint', undefined],
  ];
  for (const [why, wanted, expected] of cases)
    test(why, () => assert.equal(findStart(lines, wanted), expected));
});
