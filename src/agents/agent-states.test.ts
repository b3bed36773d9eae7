import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import type { AgentFlags, AgentState } from '../protocol/long-lived-agent.ts';
import { AGENT_STATES } from '../protocol/long-lived-agent.ts';
import { enter, isEndedState } from './agent-states.ts';

const flags: AgentFlags = { background: false, perseverance: false, userPresent: true };

function isAllowed(from: AgentState, to: AgentState, with_ = flags): boolean {
  try {
    return enter(from, to, with_) === to;
  } catch (error) {
    assert.ok(isRefusal(error, 'agent.illegal-transition'));
    return false;
  }
}

describe('the life of an agent', () => {
  const cases: [why: string, from: AgentState, to: AgentState, boolean][] = [
    ['it begins to work', 'summoned', 'working', true],
    ['it may fail before it has begun', 'summoned', 'failed-reaped', true],
    ['it is not done before it has begun', 'summoned', 'done', false],
    ['done is never a claim alone', 'working', 'done', false],
    ['it asks to be verified', 'working', 'verifying', true],
    ['what was verified is done', 'verifying', 'done', true],
    ['what was not goes on', 'verifying', 'working', true],
    ['who waits for a person goes on when heard', 'waiting-input', 'working', true],
    ['and is not verified meanwhile', 'waiting-input', 'verifying', false],
    ['who failed may be restarted', 'failed-reaped', 'working', true],
    ['who was dismissed may not', 'dismissed-reaped', 'working', false],
    ['who is done may get another task', 'done', 'working', true],
    ['a restart is working again', 'working', 'working', true],
    ['a body goes in the end', 'failed-reaped', 'gc', true],
    ['but nobody goes alive', 'working', 'gc', false],
    ['what is gone stays gone', 'gc', 'summoned', false],
  ];
  for (const [why, from, to, allowed] of cases)
    test(why, () => assert.equal(isAllowed(from, to), allowed));

  test('nothing comes back from the last state, and all others lead there', () => {
    for (const state of AGENT_STATES) assert.equal(isAllowed('gc', state), false);
    const reached = new Set<AgentState>(['gc']);
    for (let round = 0; round < AGENT_STATES.length; round += 1)
      for (const from of AGENT_STATES)
        if ([...reached].some((to) => isAllowed(from, to))) reached.add(from);
    assert.deepEqual([...reached].toSorted(), [...AGENT_STATES].toSorted());
  });

  test('who perseveres is never idle, but may wait for a person', () => {
    const persevering = { ...flags, perseverance: true };
    assert.deepEqual(
      [
        isAllowed('working', 'waiting-wakeup', persevering),
        isAllowed('working', 'waiting-input', persevering),
      ],
      [false, true],
    );
  });

  test('bodies stay visible until they are gone', () => {
    assert.deepEqual(AGENT_STATES.filter(isEndedState), [
      'done',
      'failed-reaped',
      'dismissed-reaped',
    ]);
  });
});
