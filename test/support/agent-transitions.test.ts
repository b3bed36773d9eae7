import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentFlags, AgentState } from '../../src/protocol/long-lived-agent.ts';
import { AGENT_STATES } from '../../src/protocol/long-lived-agent.ts';
import { canFollow, isEndedState } from './agent-transitions.ts';

const flags: AgentFlags = { perseverance: false, userPresent: true };

function isAllowed(from: AgentState, to: AgentState, withFlags = flags): boolean {
  return canFollow(from, to, withFlags);
}

describe('the states of an agent', () => {
  const cases: [why: string, from: AgentState, to: AgentState, boolean][] = [
    ['an agent starts to work', 'summoned', 'working', true],
    ['it may fail before its first life', 'summoned', 'failed-reaped', true],
    ['it is not done before its first life', 'summoned', 'done', false],
    ['a claim alone is not done', 'working', 'done', false],
    ['a claim is verified', 'working', 'verifying', true],
    ['verified work is done', 'verifying', 'done', true],
    ['work that fails its checks continues', 'verifying', 'working', true],
    [
      'an agent that waits for a person continues after the answer',
      'waiting-input',
      'working',
      true,
    ],
    ['an agent that waits for a person is not verified', 'waiting-input', 'verifying', false],
    ['a failed agent may be restarted', 'failed-reaped', 'working', true],
    ['a dismissed agent may not be restarted', 'dismissed-reaped', 'working', false],
    ['an agent that is done may get another task', 'done', 'working', true],
    ['a restarted agent works again', 'working', 'working', true],
    ['a failed agent is removed at last', 'failed-reaped', 'gc', true],
    ['a running agent is not removed', 'working', 'gc', false],
    ['a removed agent stays removed', 'gc', 'summoned', false],
  ];
  for (const [why, from, to, allowed] of cases)
    test(why, () => assert.equal(isAllowed(from, to), allowed));

  test('no state follows the last one, and all others lead to it', () => {
    for (const state of AGENT_STATES) assert.equal(isAllowed('gc', state), false);
    const reached = new Set<AgentState>(['gc']);
    for (let round = 0; round < AGENT_STATES.length; round += 1)
      for (const from of AGENT_STATES)
        if ([...reached].some((to) => isAllowed(from, to))) reached.add(from);
    assert.deepEqual([...reached].toSorted(), [...AGENT_STATES].toSorted());
  });

  test('an agent with perseverance never idles, but may wait for a person', () => {
    const persevering = { ...flags, perseverance: true };
    assert.deepEqual(
      [
        isAllowed('working', 'waiting-wakeup', persevering),
        isAllowed('working', 'waiting-input', persevering),
      ],
      [false, true],
    );
  });

  test('ended agents are visible until they are removed', () => {
    assert.deepEqual(AGENT_STATES.filter(isEndedState), [
      'done',
      'failed-reaped',
      'dismissed-reaped',
    ]);
  });
});
