/** What a run may spend and how long its attempts may take: its pinned settings, and what a person has added since. */
import { z } from 'zod';
import type { AttemptSettings } from '../pinned-settings.ts';
import type { RunView } from './run-view.ts';

const amount = z.number().nonnegative().nullable();

/** Null: not limited. A run that continues another has the same budget, and what that one spent counts. */
export const RunLimits = z.strictObject({
  usd: amount,
  tokens: amount,
  calls: amount,
  /** How long the run may take. */
  wallMs: amount,
  /** How long each attempt may take. */
  deadlineMs: amount,
});
export type RunLimits = z.infer<typeof RunLimits>;

const NO_CAPS = { usd: null, tokens: null, calls: null, wallMs: null };

export function runLimits(
  { budget, deadlineMs = null }: Partial<Pick<AttemptSettings, 'budget' | 'deadlineMs'>>,
  { raised, tokensCap }: Pick<RunView['budget'], 'raised' | 'tokensCap'>,
): RunLimits {
  const { usd, tokens, calls, wallMs } = budget?.run ?? NO_CAPS;
  const by = raised.run;
  return {
    usd: sum(usd, by.usd),
    tokens: sum(tokensCap ?? tokens, by.tokens),
    calls: sum(calls, by.calls),
    wallMs: sum(wallMs, by.wall),
    deadlineMs,
  };
}

function sum(cap: number | null, more: number): number | null {
  return cap === null ? null : cap + more;
}

/** When the attempt that works now is asked to exit. Null: none works, or it has no deadline. */
export function attemptDeadline(
  { open }: Pick<RunView, 'open'>,
  { deadlineMs }: Pick<RunLimits, 'deadlineMs'>,
): number | null {
  const attempt = open.find(({ command }) => command === 'attempt');
  return attempt === undefined || deadlineMs === null ? null : attempt.begunAt + deadlineMs;
}
