import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newRunId } from '../../base/ids.ts';
import { systemRandom } from './system-random.ts';

test('random numbers are spread over [0, 1)', () => {
  const draws = Array.from({ length: 4096 }, systemRandom);
  assert.ok(draws.every((draw) => draw >= 0 && draw < 1));
  const tenths = new Set(draws.map((draw) => Math.floor(draw * 10)));
  assert.equal(tenths.size, 10);
});

test('two ids are never the same', () => {
  const ids = Array.from({ length: 1000 }, () => newRunId(systemRandom));
  assert.equal(new Set(ids).size, ids.length);
});
