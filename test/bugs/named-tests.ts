/** That a table of tests by name names tests that are there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../docs/markdown.ts';

/** A test: its file, from the checkout, and its name or the row of a table that is its name. */
export type Named = readonly [file: string, name: string];

export function assertIsThere([file, name]: Named): void {
  const source = readFileSync(join(checkout, file), 'utf8');
  // Before its name may stand for which case of another list it counts.
  const parts = source.split(name);
  const isThere = parts
    .slice(1)
    .some(
      (after, place) =>
        /^['"`]/.test(after) && /['"`](?:cases? [^:'"`]*: )?$/.test(parts[place] ?? ''),
    );
  assert.ok(isThere, `${file} has no test "${name}"`);
}
