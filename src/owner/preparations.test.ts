import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Preparations } from './preparations.ts';

test('a run says how far its workspace is, until it is ready', () => {
  const preparations = new Preparations();
  assert.equal(preparations.describe('a'), null);
  preparations.report('a', { stage: 'reading', done: 1200, total: 30_000 });
  preparations.report('b', { stage: 'writing', done: null, total: null });
  assert.equal(preparations.describe('a'), 'preparing the workspace: 1200 of 30000 files read');
  assert.equal(preparations.describe('b'), 'preparing the workspace: writing the copy');
  preparations.report('a', null);
  assert.equal(preparations.describe('a'), null);
});
