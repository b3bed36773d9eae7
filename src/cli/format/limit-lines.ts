/** The lines of `status ID` about budgets and deadlines: how much is spent of each cap, and how much time is left. */
import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/text.ts';
import { formatClockTime } from '../../base/format-time.ts';
import { attemptDeadline } from '../../protocol/views/run-limits.ts';
import { wallSpentMs } from '../../protocol/views/wall-time.ts';
import type { StatusRow } from '../../protocol/views/status-row.ts';
import { dollars, shareOfCap } from '../../reports/cost-words.ts';

type Line = [label: string, text: string];

/** A cap also counts what the runs that this one continues have spent. */
export function limitLines({ view, limits }: StatusRow, now: number): readonly Line[] {
  if (limits === undefined) return [];
  const { spent, before, held, unpricedCalls, time, over } = view.budget;
  const { usd, tokens, calls, wallMs, deadlineMs } = limits;
  const heldUsd = held.reduce((sum, one) => sum + one.usd, 0);
  const inCalls = heldUsd === 0 ? '' : `, ${dollars(heldUsd)} of it held for open calls`;
  // The answer to a question about time adds the time that it took.
  const until = over?.limit === 'wall' ? over.since : (view.endedAt ?? now);
  const wall = before.wallMs + wallSpentMs(time, until);
  const share = shareOfCap(spent.usd, usd ?? 0);
  const ends = attemptDeadline(view, limits);
  const each = deadlineMs === null ? '' : `${formatDuration(deadlineMs)} for each attempt`;
  return [
    ...(usd === null
      ? []
      : budgetLine(
          unpricedCalls > 0
            ? `${dollars(usd)}; the cost of ${plural(unpricedCalls, 'call')} is unknown`
            : `${share.spent} of ${dollars(usd)} spent, ${share.left} left${inCalls}`,
        )),
    ...(tokens === null
      ? []
      : budgetLine(`${spent.tokens} of ${tokens} tokens used, ${left(tokens, spent.tokens)} left`)),
    ...(calls === null
      ? []
      : budgetLine(`${spent.calls} of ${calls} calls used, ${left(calls, spent.calls)} left`)),
    ...(wallMs === null
      ? []
      : budgetLine(
          `${formatDuration(wall)} of ${formatDuration(wallMs)} used, ${formatDuration(wallMs - wall)} left`,
        )),
    ...(deadlineMs === null ? [] : [['deadline', `${each}${describeEnd(ends, now)}`] as Line]),
  ];
}

function left(cap: number, used: number): number {
  return Math.max(0, cap - used);
}

function budgetLine(text: string): readonly Line[] {
  return [['budget', text]];
}

/** Of the attempt that works now. */
function describeEnd(ends: number | null, now: number): string {
  if (ends === null) return '';
  return `; this one has ${formatDuration(ends - now)} left, until ${formatClockTime(ends, now)}`;
}
