/** Which state of a long-lived agent may follow which. The product derives states; the harness checks their order. */
import type { AgentFlags, AgentState } from '../../src/protocol/long-lived-agent.ts';

/** Working may follow working: that is a restart. Done is only reached through verifying. */
const NEXT: Readonly<Record<AgentState, readonly AgentState[]>> = {
  summoned: ['working', 'failed-reaped', 'dismissed-reaped'],
  working: [
    'working',
    'waiting-input',
    'waiting-wakeup',
    'verifying',
    'failed-reaped',
    'dismissed-reaped',
  ],
  'waiting-input': ['working', 'failed-reaped', 'dismissed-reaped'],
  'waiting-wakeup': ['working', 'failed-reaped', 'dismissed-reaped'],
  verifying: ['done', 'working', 'failed-reaped', 'dismissed-reaped'],
  done: ['working', 'dismissed-reaped', 'gc'],
  'failed-reaped': ['working', 'gc'],
  'dismissed-reaped': ['gc'],
  gc: [],
};

/** States that one fact may pass through: a claim without commitments is verified in the same fact. */
const PASSED: readonly AgentState[] = ['working', 'verifying', 'done'];
const STEPS_MAX = 3;

/** With perseverance an agent may wait for a person, and for nothing else. */
export function canFollow(from: AgentState, to: AgentState, flags?: AgentFlags): boolean {
  return NEXT[from].includes(to) && !(to === 'waiting-wakeup' && flags?.perseverance === true);
}

/** Whether one fact may lead from one state to the other. */
export function canReach(
  from: AgentState,
  to: AgentState,
  flags: AgentFlags,
  steps = STEPS_MAX,
): boolean {
  if (canFollow(from, to, flags)) return true;
  if (steps === 1) return false;
  return PASSED.some((by) => canFollow(from, by, flags) && canReach(by, to, flags, steps - 1));
}

/** The life is over, and its history, its output and the reason stay visible. */
export function isEndedState(state: AgentState): boolean {
  return state === 'failed-reaped' || state === 'dismissed-reaped' || state === 'done';
}
