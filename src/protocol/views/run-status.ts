/** The state of a run in one word, derived from its view at every reading and never stored. */
import { AGENT_PROGRAM } from '../agent-program-name.ts';
import { OUTCOME_KINDS } from '../outcome-kinds.ts';
import type { RunView } from './run-view.ts';

/** The states of a run that has not ended, beside its outcomes. */
const OPEN_STATES = [
  'queued', // it has not begun, or its next command waits for a slot
  'preparing', // its gates run on the base, or it checks which agents are available
  'running',
  'taken_over', // a person has its agent in their terminal
  'retrying', // it waits before another attempt
  'cooling', // only limits hold it up, and it waits for the first to end
  'verifying', // a gate runs
  'finalizing', // its outcome is decided, and artifacts are collected
  'waiting',
  'awaiting_input',
  'summoned', // a long-lived agent whose supervisor has not started its first life
  'parked', // a long-lived agent that waits for a message, or for its supervisor
  'stopping',
  'paused',
] as const;

/** All states of a run: those in which it can be, and those in which it can end. */
export const RUN_STATES = [...OPEN_STATES, ...OUTCOME_KINDS] as const;
export type RunStatus = (typeof RUN_STATES)[number];

export function runStatus(view: RunView): RunStatus {
  if (view.outcome !== null) return view.outcome.kind;
  if (view.stopAskedAt !== null) return 'stopping';
  if (view.pausedAt !== null) return 'paused';
  const { open, attempts } = view;
  if (open.some(({ takenOver }) => takenOver === true)) return 'taken_over';
  if (view.program === AGENT_PROGRAM) return lifeStatus(view);
  if (open.some(({ command }) => command === 'ask')) return 'awaiting_input';
  if (view.asksBelow !== undefined) return 'awaiting_input';
  if (open.length === 0 && view.isHeld === true) return 'queued';
  // Between two commands it is not known yet what follows: a gate, the end, or another attempt.
  if (open.length === 0 && view.workflow !== null) return view.begun === 0 ? 'queued' : 'running';
  if (open.length === 0) return attempts === 0 ? 'queued' : 'running';
  if (open.every(({ command }) => command === 'wait')) return waiting(open);
  if (open.some(({ command }) => command === 'gate')) return 'verifying';
  if (open.some(({ command }) => command === 'finalize')) return 'finalizing';
  const isAttempt = open.some(({ command }) => command === 'attempt');
  if (isAttempt) return 'running';
  const looks = open.every(
    ({ command }) =>
      command === 'check-availability' ||
      command === 'set-cooldown' ||
      command === 'setup' ||
      command === 'baseline',
  );
  if (!looks) return 'running';
  return attempts === 0 ? 'preparing' : 'running';
}

/** For a reader of every event. Undefined: the run is between two commands, and the next event shows its state. */
export function settledStatus(view: RunView): RunStatus | undefined {
  const { outcome, stopAskedAt, pausedAt, open, begun, program } = view;
  const isBetween = open.length === 0 && begun > 0 && program !== AGENT_PROGRAM;
  const isHeld = outcome !== null || stopAskedAt !== null || pausedAt !== null;
  return isBetween && !isHeld ? undefined : runStatus(view);
}

/** A question about an issue does not change the status of an agent that is working. */
function lifeStatus({ open, lives, isHeld }: RunView): RunStatus {
  const has = (name: string): boolean => open.some(({ command }) => command === name);
  if (has('attempt')) return 'running';
  if (has('gate')) return 'verifying';
  if (has('setup') || has('set-cooldown') || has('check-availability')) return 'preparing';
  if (has('finalize')) return 'finalizing';
  if (has('ask')) return 'awaiting_input';
  if (has('wait')) return waiting(open);
  if (isHeld === true) return 'queued';
  return lives === 0 ? 'summoned' : 'parked';
}

function waiting(open: RunView['open']): RunStatus {
  if (open.some(({ waitReason }) => waitReason === 'cooldown')) return 'cooling';
  return open.some(({ waitReason }) => waitReason === 'retry') ? 'retrying' : 'waiting';
}

/** The status as a person reads it. */
export function statusText(view: RunView): string {
  const status = runStatus(view);
  if (view.program === AGENT_PROGRAM && view.outcome === null && view.lives > 0)
    return `${status} (life ${view.lives}, turn ${view.attempts})`;
  const last = Math.max(view.attempts, view.lastAttempt);
  if (status === 'retrying') return `retrying (attempt ${last + 1})`;
  return status === 'running' && last > 1 ? `running (attempt ${last})` : status;
}
