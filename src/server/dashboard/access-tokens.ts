/** Secrets of 256 random bits. Only their hashes are kept, so no file and no memory can give them away. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The entry whose token this is. Compares every entry in constant time, so that the time reveals nothing. */
export function findByToken<Entry extends { readonly token: string }>(
  entries: readonly Entry[],
  token: string,
): Entry | undefined {
  const given = hashToken(token);
  return entries.filter((entry) => isSameHash(entry.token, given))[0];
}

export function isSameHash(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a, 'hex'), Buffer.from(b, 'hex')];
  return one.length === other.length && timingSafeEqual(one, other);
}
