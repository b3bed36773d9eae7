/** Why something is in its state: one short line for a table or a log, and the whole text if there is more of it. */
import { z } from 'zod';
import { cutAtWord, joinLines } from '../base/text.ts';
import { field } from './document.ts';

/** In characters. */
const SHORT_MAX = 200;

export const shortReason = z.string().max(SHORT_MAX);
export const fullReason = field(
  z.string().nullable(),
  'The whole text, of which reason has the beginning. Null: reason is all of it.',
);

type Reason = { readonly reason: string; readonly full_reason: string | null };

export function reasonFields(text: string): Reason {
  const reason = cutAtWord(joinLines(text), SHORT_MAX);
  return { reason, full_reason: reason === text ? null : text };
}

export function reasonFieldsOrNull(
  text: string | null,
): Reason | { readonly reason: null; readonly full_reason: null } {
  return text === null ? { reason: null, full_reason: null } : reasonFields(text);
}
