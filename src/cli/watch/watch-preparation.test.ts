import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import {
  attempt,
  historyOfFacts,
  notes,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import { watchPreparation } from './watch-preparation.ts';

test('the reason of the owner is shown until the agent has started', async () => {
  const clock = new ManualClock();
  const facts: NewRunEvent[] = [submitted()];
  const shown: (readonly [string | null, number])[] = [];
  let reason: string | null = 'preparing: 1 of 3';
  const over = new AbortController();
  const watching = watchPreparation(
    'a000000000',
    {
      clock,
      client: () => ({ statusOf: async () => ({ reason }) as unknown as StatusRow }),
      history: () => historyOfFacts(facts.map((fact) => [0, fact])),
      show: (text, times) => void shown.push([text, times]),
    },
    over.signal,
  );
  await clock.advance(1000);
  reason = 'preparing: 2 of 3';
  facts.push(attempt(1, 'main'));
  await clock.advance(1000);
  facts.push(notes('attempt-1', { kind: 'started', pid: 1, sandbox: 'bubblewrap' }));
  await clock.advance(1000);
  over.abort();
  await watching;
  assert.deepEqual(shown, [
    ['preparing: 1 of 3', 1],
    ['preparing: 2 of 3', 2],
    [null, 0],
  ]);
});
