import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thisMachine, trySqlite } from './machine.ts';

test('the machine is the one we run on', () => {
  const { platform, node } = thisMachine();
  assert.deepEqual([platform, node.path], [process.platform, process.execPath]);
  assert.match(node.version, /^\d+\.\d+\.\d+$/);
});

test('SQLite writes and reads', async () => {
  const trial = await trySqlite();
  assert.ok(trial.kind === 'works');
  assert.match(trial.version, /^3\.\d+\.\d+$/);
});
