/**
 * Chooses the user that a command runs as. An ordinary user runs it as themselves. Root runs it as a uid that belongs
 * to no other user.
 */
import type { SandboxFacts, SandboxUser } from './sandbox-facts.ts';

/** Numbers that no system assigns to users, to services or to users inside containers. */
const FIRST = 0x7000_0000;
const COUNT = 0x0f00_0000;

/** The same name gives the same user, so that one attempt can change the files of the previous one. */
export function sandboxUser(
  name: string,
  { uid, gid }: Pick<SandboxFacts, 'uid' | 'gid'>,
): SandboxUser {
  if (uid !== 0) return { uid, gid };
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const number = FIRST + (hash % COUNT);
  return { uid: number, gid: number };
}
