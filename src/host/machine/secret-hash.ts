/** Secrets of people: new ones, and slow hashes of them. A stolen hash cannot be tried against many guesses quickly. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const SECRET_BYTES = 18;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const derive = promisify<string, Buffer, number, Buffer>(scrypt);

/** Both in base64. */
export type SecretHash = { readonly salt: string; readonly hash: string };

/** A secret that a person can copy: 24 letters, digits, - and _. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

export async function hashSecret(secret: string): Promise<SecretHash> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(secret, salt, HASH_BYTES);
  return { salt: salt.toString('base64'), hash: hash.toString('base64') };
}

/** Without a stored hash it takes as long and is false, so that the time does not tell whether a name exists. */
export async function isSecretOf(secret: string, stored: SecretHash | undefined): Promise<boolean> {
  const salt = Buffer.from(stored?.salt ?? '', 'base64');
  const given = await derive(secret, salt, HASH_BYTES);
  const expected = Buffer.from(stored?.hash ?? '', 'base64');
  return expected.length === given.length && timingSafeEqual(expected, given);
}
