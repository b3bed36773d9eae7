import type { PastFailure } from '../past-calls.ts';

/** From so many kinds of errors on, the agent tries different things: it iterates, and does not repeat itself. */
const KINDS_MIN = 3;

export function isIterating(failures: readonly PastFailure[]): boolean {
  return new Set(failures.map(({ error }) => error)).size >= KINDS_MIN;
}

export function describeCall({ tool, subject }: Pick<PastFailure, 'tool' | 'subject'>): string {
  return subject === null ? tool : `${tool} ${subject}`;
}
