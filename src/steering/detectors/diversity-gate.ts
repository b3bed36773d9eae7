import type { PastFailure } from '../watch-history.ts';

/** From so many kinds of errors on, the agent tries different things: it iterates, and does not repeat itself. */
const KINDS_MIN = 3;

export function isIterating(failures: readonly PastFailure[]): boolean {
  return new Set(failures.map(({ error }) => error)).size >= KINDS_MIN;
}

/** Equal for two failures of the same call in the same way. */
export function failureKey({ tool, error, signature }: PastFailure): string {
  return `${tool} ${error} ${signature}`;
}

export function describeCall({ tool, subject }: Pick<PastFailure, 'tool' | 'subject'>): string {
  return subject === null ? tool : `${tool} ${subject}`;
}
