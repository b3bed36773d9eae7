import { hash } from 'node:crypto';

/** The same for the same text, and in practice for no other. */
export function hashText(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex');
}
