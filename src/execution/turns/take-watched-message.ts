/**
 * Hands a message of a watch over a shared folder to the agent of a run, through the one injector. The number of the
 * message is its cause, so a message that is taken again after a crash is the same message.
 */
import type { Taking } from '../../host/files/steering-box.ts';
import { SteeringBox } from '../../host/files/steering-box.ts';
import { readWatchedMessage } from '../../protocol/contracts/watched-message.ts';
import type { Injected, InjectedWords } from '../../steering/injector.ts';

type WatchedRoleFolder = {
  readonly shared: string;
  readonly role: string;
  readonly since: number;
  readonly now: number;
};

/** Clocks of two machines differ. */
const AHEAD_MS = 60_000;

/**
 * A message from before `since` is about other work. It could also be a file that came with the project. Both are set
 * aside.
 */
export async function takeWatchedMessage(
  { shared, role, since, now }: WatchedRoleFolder,
  inject: (words: InjectedWords) => Promise<Injected>,
): Promise<void> {
  await new SteeringBox(shared, role).take(now, async (taken): Promise<Taking> => {
    const message = taken.kind === 'message' ? readWatchedMessage(taken.text) : undefined;
    if (message === undefined || message.role_id !== role) return 'refused';
    const writtenAt = Date.parse(message.written_at);
    if (writtenAt < since || writtenAt > now + AHEAD_MS) return 'refused';
    const { kind } = await inject({
      origin: 'steering',
      text: message.text.replace(/^\[SUPERVISOR\] /, ''),
      to: 'main',
      cause: `watch ${role} ${message.seq} ${message.written_at}`,
    });
    return kind === 'undelivered' ? 'open' : 'done';
  });
}
