/** The last lines of a commit that Supervisor makes: which run it belongs to, and whether gates have checked it. */

import type { AcceptedGate } from '../../protocol/words/accepted-gate.ts';
import { acceptedTrailers } from '../../protocol/words/accepted-gate.ts';

export type CommitTrailers = {
  readonly run: string;
  readonly outcome: 'verified' | 'unverified';
  /** Gates that are red on it and that a person accepted. Absent: none. */
  readonly accepted?: readonly AcceptedGate[];
};

const MESSAGE_CHARS_MAX = 8000;
const OURS = /^[ \t]*supervisor-[a-z]+[ \t]*:/i;

/** Lines of the message that look like our own trailers are dropped: an agent may have written them. */
export function withTrailers(
  message: string,
  { run, outcome, accepted = [] }: CommitTrailers,
): string {
  const lines = message
    .slice(0, MESSAGE_CHARS_MAX)
    // oxlint-disable-next-line no-control-regex -- control characters are what it removes
    .replaceAll(/[\u0000-\u0009\u000B-\u001F\u007F]/g, ' ')
    .split('\n')
    .filter((line) => !OURS.test(line))
    .map((line) => line.trimEnd());
  const text = lines.join('\n').trim();
  const [subject = '', ...rest] = text.split('\n');
  const body = rest.join('\n').trim();
  const title = subject === '' ? `The work of run ${run}` : subject;
  const parts = body === '' ? [title] : [title, body];
  const trailers = [
    `Supervisor-Run: ${run}`,
    `Supervisor-Outcome: ${outcome}`,
    ...acceptedTrailers(accepted),
  ];
  return [...parts, trailers.join('\n')].join('\n\n');
}
