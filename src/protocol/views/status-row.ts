/** A row of `status`: a run, and why it is in its state. */
import { z } from 'zod';
import { formatDuration } from '../../base/format-duration.ts';
import { keepEnd } from '../../base/text.ts';
import { AppliedView } from './applied-view.ts';
import { questionWords } from './question-words.ts';
import { openQuestions } from './questions-of-run.ts';
import { describeHeldCall } from '../words/call-hold.ts';
import { describeLogin } from '../words/login-expiry.ts';
import { endedBadly } from '../outcome.ts';
import { RunLimits } from './run-limits.ts';
import { RunView } from './run-view.ts';
import { runStatus } from './run-status.ts';
import { describeStep } from './workflow-view.ts';

export const StatusRow = z.strictObject({
  view: RunView,
  /** Why it is in its state. Null: the state says it all. */
  reason: z.string().nullable(),
  applied: AppliedView.nullable(),
  /** The newest run that continues it, if it ended badly. Absent: there is none. */
  resumedAs: z.string().exactOptional(),
  /** What it may spend, and how long its attempts may take. Absent in a list. */
  limits: RunLimits.exactOptional(),
  /** What became of the messages to its agent, in words. Absent: it has none, or this is a list. */
  messages: z.string().exactOptional(),
});
export type StatusRow = z.infer<typeof StatusRow>;

const REASON_CHARS_MAX = 300;

/** `hold`: the limit that keeps its next command from starting, in words. */
export function statusRow(
  view: RunView,
  hold: string | null,
  now: number,
  applied: AppliedView | null = null,
  resumedAs: string | null = null,
): StatusRow {
  const { outcome } = view;
  const isResumed = resumedAs !== null && outcome !== null && endedBadly(outcome);
  const reason = reasonOf(view, hold, now);
  const whole = isResumed ? `resumed as ${resumedAs}; ${outcome.reason}` : reason;
  const shown = whole === null ? null : keepEnd(whole, REASON_CHARS_MAX);
  return { view, reason: shown, applied, ...(isResumed ? { resumedAs } : {}) };
}

function reasonOf(view: RunView, hold: string | null, now: number): string | null {
  const { outcome } = view;
  if (outcome !== null) return outcome.reason;
  const status = runStatus(view);
  if (status === 'stopping') return null;
  if (status === 'paused') return `since ${formatDuration(now - (view.pausedAt ?? now))}`;
  if (status === 'taken_over') return takenOverReason(view);
  if (status === 'awaiting_input') {
    const [asked] = openQuestions(view);
    return asked === undefined ? null : questionWords(view.id, asked);
  }
  const step = view.workflow === null ? undefined : describeStep(view.workflow);
  const why = workingReason(view, hold, now);
  return step === undefined || why === null ? (step ?? why) : `${step}: ${why}`;
}

function workingReason(view: RunView, hold: string | null, now: number): string | null {
  if (runStatus(view) === 'verifying') return view.gate === null ? null : `gate ${view.gate.name}`;
  return (
    waitOf(view.open, now) ??
    hold ??
    describeHeldCall(view.heldCall, now) ??
    describeLogin(view.login, now)
  );
}

function waitOf(open: RunView['open'], now: number): string | null {
  const wait = open.find(({ command }) => command === 'wait');
  if (wait?.waitUntil === undefined) return null;
  const left = `${formatDuration(wait.waitUntil - now)} left`;
  return wait.waitText === undefined ? left : `${wait.waitText} (${left})`;
}

/** Null: no person has taken it over. */
export function takenOverReason(view: RunView): string | null {
  return runStatus(view) === 'taken_over' ? 'a person has its agent in their terminal' : null;
}
