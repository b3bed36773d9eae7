import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runEvent } from '../../../test/support/run-event.ts';
import {
  definition,
  gate,
  role,
  workflowSubmission,
} from '../../../test/support/workflow-fixture.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { StepNames } from './step-names.ts';

const submission = workflowSubmission(
  definition({ implement: role('coder', 'quick_test'), quick_test: gate(['test'], 'done') }),
  'add a sum',
);

function facts(run: string, first: object, keys: readonly string[]): readonly StoredEvent[] {
  const begun = keys.map((key) =>
    runEvent({ type: 'command.begun', payload: { key, command: 'run', input: { run: 'r' } } }),
  );
  return [first, ...begun].map(
    (event, place) =>
      ({ ...event, id: place + 1, seq: place + 1, stream: `run/${run}`, at: 0 }) as StoredEvent,
  );
}

const KEYS = ['step-implement-1', 'gate-quick-test-2-1', 'step-implement-3'];
const ORIGIN = facts('a', { type: 'run.submitted', payload: submission }, KEYS);
const FORK = facts('b', { type: 'run.forked', payload: { from: 'a', seq: 4, submission } }, [
  'step-implement-3.2',
  'step-implement-5',
]);
const OTHER = facts('c', { type: 'run.submitted', payload: { program: 'attempts' } }, [
  'gate-1-test',
]);

/** Counts how often it was asked. */
function journal(): { names: StepNames; asked: () => number } {
  let asked = 0;
  const names = new StepNames(async ({ run, after, limit }) => {
    asked += 1;
    const all = { a: ORIGIN, b: FORK, c: OTHER }[run] ?? [];
    return all.filter(({ seq }) => seq > after).slice(0, limit);
  });
  return { names, asked: () => asked };
}

async function keysOf(names: StepNames, events: readonly StoredEvent[]): Promise<unknown[]> {
  const shown = [];
  for (const event of events) {
    const { payload } = await names.named(event);
    if ('key' in payload) shown.push(payload.key);
  }
  return shown;
}

describe('the commands of a workflow on a screen', () => {
  test('have the name of their step and visit, and need no other facts from the first on', async () => {
    const { names, asked } = journal();
    const shown = await keysOf(names, ORIGIN);
    assert.deepEqual(shown, ['implement#1', 'quick_test#1', 'implement#2']);
    assert.equal(asked(), 0);
  });

  test('have the same names if only the last events are shown', async () => {
    const { names } = journal();
    assert.deepEqual(await keysOf(names, ORIGIN.slice(-1)), ['implement#2']);
  });

  test('continue to count in a run that continues another', async () => {
    const whole = journal();
    assert.deepEqual(await keysOf(whole.names, FORK), ['implement#2', 'implement#3']);
    const { names } = journal();
    assert.deepEqual(await keysOf(names, FORK.slice(-1)), ['implement#3']);
  });

  test('of another run keep their keys', async () => {
    assert.deepEqual(await keysOf(journal().names, OTHER), ['gate-1-test']);
    assert.deepEqual(await keysOf(journal().names, OTHER.slice(-1)), ['gate-1-test']);
  });
});
