/** Checks that a table of test names names existing tests. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../docs/markdown.ts';

/** A test: its file, from the checkout, and its name or the row of a table that is its name. */
export type Named = readonly [file: string, name: string];

/** A bug of another system, and the tests that show that it does not happen here. */
export type Bug = readonly [bug: string, ...tests: Named[]];

/** An abuse case may precede the name: `test/abuse/cases.ts`. */
const CASE = /(['"`])cases? [^:'"`]*: /g;

export function assertIsThere([file, name]: Named): void {
  const source = readFileSync(join(checkout, file), 'utf8').replaceAll(CASE, '$1');
  const isThere = ["'", '"', '`'].some((quote) => source.includes(quote + name + quote));
  assert.ok(isThere, `${file} has no test "${name}"`);
}
