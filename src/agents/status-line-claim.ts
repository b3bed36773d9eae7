/** What an agent says of itself in the last line of a turn. Nothing else that it says decides anything. */
import { isRecord, parseJson } from '../base/json.ts';
import { claimsDone } from './commitments.ts';

export type Claim =
  | { readonly kind: 'done' }
  /** It waits for a message. */
  | { readonly kind: 'waiting' }
  /** It asks to be let go. */
  | { readonly kind: 'abort'; readonly reason: string }
  | { readonly kind: 'none' };

const REASON_MAX = 1000;

export function readClaim(line: string): Claim {
  if (claimsDone(line)) return { kind: 'done' };
  const answer = parseJson(line.trim());
  if (!isRecord(answer)) return { kind: 'none' };
  const { status, reason } = answer;
  if (status === 'waiting') return { kind: 'waiting' };
  if (status !== 'abort') return { kind: 'none' };
  const said = typeof reason === 'string' && reason.trim() !== '' ? reason : 'it gives no reason';
  return { kind: 'abort', reason: said.slice(0, REASON_MAX) };
}
