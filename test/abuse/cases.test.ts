/** The list of abuse cases is complete, and agrees with the names of the tests. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { namesBelow } from '../names-below.ts';
import { CASES } from './cases.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const UNTESTED_MAX = 8;

/** For each file, the cases with which names of tests, or rows of test tables, begin. */
async function namedTests(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const folder of ['src', 'test'])
    for (const name of (await namesBelow(join(checkout, folder))).toSorted()) {
      const path = join(folder, name);
      if (!path.endsWith('.ts') || path.includes('node_modules')) continue;
      const text = readFileSync(join(checkout, path), 'utf8');
      const numbers = [...text.matchAll(/['"`]case (\d+a?): \S/g)].map(([, number = '']) => number);
      for (const number of new Set(numbers))
        found.set(number, [...(found.get(number) ?? []), path]);
    }
  return found;
}

describe('the list of abuse cases', () => {
  test('has every case once, in order', () => {
    const numbers = Array.from({ length: 60 }, (_, index) => `${index + 1}`);
    assert.deepEqual(
      CASES.map(({ number }) => number),
      numbers.flatMap((number) => (number === '12' ? ['12', '12a'] : [number])),
    );
  });

  test('names the files of exactly those tests that are named after a case', async () => {
    const listed = CASES.filter(({ shownBy }) => shownBy.length > 0);
    assert.deepEqual(
      Object.fromEntries(listed.map(({ number, shownBy }) => [number, shownBy.toSorted()])),
      Object.fromEntries(await namedTests()),
    );
  });

  test('names only files that the runner runs, or that such a file takes its tests from', () => {
    for (const path of CASES.flatMap(({ shownBy }) => shownBy))
      assert.match(path, /\.test\.ts$|^test\/(?:sandbox\/shared-abuse|workspace\/attacks)\.ts$/);
  });

  test(`leaves at most ${UNTESTED_MAX} without a test, each with its reason`, () => {
    const untested = CASES.filter(({ shownBy }) => shownBy.length === 0);
    assert.ok(untested.length <= UNTESTED_MAX, `${untested.length} have none`);
    for (const { number, rest } of untested) assert.ok(rest !== undefined, `case ${number}`);
    for (const { rest = 'Nothing is left of it.' } of CASES) assert.match(rest, /^.{20,}\.$/);
  });
});
