/** Whom a command belongs to. An ordinary user runs it as themselves; root runs it as nobody in particular. */
import type { SandboxFacts, SandboxUser } from './sandbox-facts.ts';

/** Numbers that no system gives to users, to services or to the users inside of containers. */
const FIRST = 0x7000_0000;
const COUNT = 0x0f00_0000;

/** The same name gives the same user, so that what one attempt has written the next one may change. */
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
