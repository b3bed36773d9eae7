import { hash } from 'node:crypto';

/** The SHA-256 hash in hex. */
export function hashText(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex');
}
