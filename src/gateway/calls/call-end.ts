/** How one call ended, judged from what was relayed of its answer. */
import type { ResponseTee } from './response-tee.ts';
import type { CallAbout } from '../gateway-facts.ts';
import { isEmptyResponse } from './response-buffer.ts';
import type { RelayedResponse } from './relay-response.ts';
import type { ModelAnswer } from '../wires/wire.ts';

export const CHARS_PER_TOKEN = 4;

/** The provider's own count, or an estimate from the text of a stream, whichever is larger. */
export function writtenTokens({ soFar: { usage, writtenChars } }: ResponseTee): number {
  return Math.max(usage?.outputTokens ?? 0, Math.ceil(writtenChars / CHARS_PER_TOKEN));
}

/** A stream that closes in good order without a stop reason counts as cut off. */
export function endOfCall(
  { end }: RelayedResponse,
  about: CallAbout,
  answer: ModelAnswer | null,
): RelayedResponse['end'] {
  if (end !== 'answered' || answer === null || answer.stop !== null || !isWork(about)) return end;
  return isEmptyResponse(answer) ? 'empty' : 'incomplete';
}

/** Only the main conversation and its subagents do the work; titles and probes do not. */
export function isWork(about: CallAbout): about is CallAbout & { readonly kind: 'main' | 'sub' } {
  return about.kind === 'main' || about.kind === 'sub';
}
