/** Where a long-lived agent is in its life, and where it can go from there. */
import { Refusal } from '../base/errors.ts';
import type { AgentFlags, AgentState } from '../protocol/long-lived-agent.ts';

/** Working may follow working: that is a restart. Done is only ever reached through verifying. */
const NEXT = {
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
} as const satisfies Record<AgentState, readonly AgentState[]>;

/** The next state. Refuses with `agent.illegal-transition`; nothing has changed then. */
export function enter(from: AgentState, to: AgentState, flags: AgentFlags): AgentState {
  const allowed: readonly AgentState[] = NEXT[from];
  if (!allowed.includes(to))
    throw illegal(from, to, `from there: ${allowed.join(', ') || 'nowhere'}`);
  if (to === 'waiting-wakeup' && flags.perseverance)
    throw illegal(from, to, 'it perseveres, so it may wait for a person and for nothing else');
  return to;
}

/** Whether it can become that; what it is already needs no step. */
export function canEnter(from: AgentState, to: AgentState): boolean {
  const allowed: readonly AgentState[] = NEXT[from];
  return allowed.includes(to);
}

/** Dead, and still there to be looked at: its history, its output, the reason. */
export function isEndedState(state: AgentState): boolean {
  return state === 'failed-reaped' || state === 'dismissed-reaped' || state === 'done';
}

function illegal(from: AgentState, to: AgentState, why: string): Refusal {
  return new Refusal({
    code: 'agent.illegal-transition',
    message: `An agent that is ${from} can't become ${to} (${why}).`,
    hint: 'Look at its state, and ask for what can follow it.',
    details: { from, to },
  });
}
