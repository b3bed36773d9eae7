import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredEvent } from '../protocol/event.ts';
import { USAGE_MAX, UsageCounter } from './agent-usage.ts';
import { runEvent } from '../../test/support/run-event.ts';

function attempt(stream: string, cli: string, project: string): StoredEvent {
  const agent = { id: cli, cli, args: [], env: {}, model: null };
  const input = { agent, project, number: 1 };
  const payload = { key: 'attempt-1', command: 'attempt', input, limits: [] };
  return { id: 1, stream, seq: 1, v: 1, at: 0, ...runEvent({ type: 'command.begun', payload }) };
}

test('uses are counted, and of each kind the ones that were touched last are kept', () => {
  const count = new UsageCounter();
  for (let project = 0; project < USAGE_MAX + 10; project += 1)
    count.count(attempt(`run/${project}`, 'claude', `/p${project}`));
  count.count(attempt('run/x', 'claude', '/p10')); // touched again: it is not the oldest any more
  count.count(attempt('run/y', 'codex', '/new'));
  const { attempts, firsts } = count.counts();
  assert.deepEqual(Object.values(attempts), [USAGE_MAX + 11, 1]);
  assert.equal(Object.keys(firsts).length, USAGE_MAX);
  assert.deepEqual(
    [firsts['/p10'], firsts['/p11'], firsts['/new']],
    ['claude', undefined, 'codex'],
  );
  assert.deepEqual(new UsageCounter(count.counts()).counts(), count.counts());
});
