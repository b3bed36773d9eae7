import { createHmac, hash } from 'node:crypto';

/** The SHA-256 hash in hex. */
export function hashText(text: string | Uint8Array): string {
  return hash('sha256', text, 'hex');
}

/** The HMAC-SHA256 in hex: only a holder of the secret can make it. */
export function signText(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}
