import { extname } from 'node:path';
import { hashText } from '../base/hash-text.ts';
import type { ContextCache } from './context-cache.ts';
import { redactAssignments } from './redact-assignments.ts';

/** Redacts secrets in a text before it is packed. */
export type RedactText = (text: string) => Promise<string>;

type Text = { readonly kind: 'text'; readonly text: string; readonly hash: string };

export async function redactFragment(
  { text, hash }: Text,
  name: string,
  redact: RedactText,
  cache: ContextCache,
): Promise<Text> {
  const redaction = await cache.redaction(`${hash}${extname(name)}`, async () => {
    const clean = await redact(redactAssignments(text, name));
    return clean === text ? 'unchanged' : { text: clean, hash: hashText(clean) };
  });
  return redaction === 'unchanged' ? { kind: 'text', text, hash } : { kind: 'text', ...redaction };
}
