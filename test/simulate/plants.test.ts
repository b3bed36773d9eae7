/** The planted bugs quote the code. This is fast, so `npm run check` notices a quotation that is out of date. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLANTS, planted } from './plants.ts';

test('each planted bug breaks a text that occurs in the code exactly once', () => {
  for (const plant of PLANTS) assert.notEqual(planted(plant), '');
  const stale = {
    ...PLANTS[0],
    says: '',
    file: 'engine/limits.ts',
    find: 'no such text',
    replace: '',
  };
  assert.throws(() => planted(stale), /0 places to plant/);
});
