import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../base/clock.ts';
import type { NewRunEvent } from '../protocol/event.ts';
import { agentTestSubmission } from '../../test/support/drive-agent.ts';
import { agentProgram } from './agent-program.ts';
import { runEvent } from '../../test/support/run-event.ts';

test('a turn counts against the limits of its project at the time of the spawn', () => {
  const submission = agentTestSubmission();
  const settings = { ...submission.settings, capacity: { runsMax: 7, perAgentMax: 3 } };
  const facts: readonly NewRunEvent[] = [
    { type: 'signal.received', payload: { signal: { kind: 'start-life', life: 1 } } },
    runEvent({
      type: 'command.begun',
      payload: {
        key: 'check-availability-1',
        command: 'check-availability',
        input: {},
        limits: [],
      },
    }),
    runEvent({
      type: 'command.ended',
      payload: { key: 'check-availability-1', end: { kind: 'done', result: { cooling: [] } } },
    }),
  ];
  let state = agentProgram.start({ ...submission, settings });
  for (const [nth, fact] of facts.entries())
    state = agentProgram.fold(state, {
      ...fact,
      ...{ id: nth + 2, stream: 'run/a', seq: nth + 2, v: 1, at: 0 },
    });
  const [turn] = agentProgram.next(state, at(0), 0);
  assert.ok(turn?.kind === 'perform');
  assert.deepEqual(
    turn.limits?.map((wish) => (typeof wish === 'string' ? wish : wish.max)),
    ['attempts', 7, 3],
  );
});
