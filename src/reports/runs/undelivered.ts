/** The notifications about runs that did not arrive. A person who waits for one does not learn of its failure otherwise. */
import { z } from 'zod';
import type { NotificationEvent } from '../../protocol/event.ts';

export const Undelivered = z.strictObject({
  at: z.number(),
  /** Null: the fact that says so is not among the facts that were read. */
  about: z.enum(['ended', 'asks', 'login', 'paused']).nullable(),
  /** The notifier of the settings. Null: the address of the run. */
  to: z.string().nullable(),
  how: z.string(),
});
export type Undelivered = z.infer<typeof Undelivered>;

/** By run, oldest first. Of equal failures only the last one: an address that is wrong fails each time. */
export function undeliveredByRun(
  facts: readonly NotificationEvent[],
): ReadonlyMap<string, readonly Undelivered[]> {
  const about = new Map<string, Undelivered['about']>();
  const found = new Map<string, Map<string, Undelivered>>();
  for (const { type, payload, at } of facts) {
    const { run, seq, to = null } = payload;
    const delivery = JSON.stringify([run, seq, to]);
    if (type === 'notification.begun') about.set(delivery, payload.about);
    else if (payload.how !== 'delivered') {
      const one = { at, about: about.get(delivery) ?? null, to, how: payload.how };
      const ofRun = found.get(run) ?? new Map<string, Undelivered>();
      const key = JSON.stringify([one.about, to, one.how]);
      ofRun.delete(key);
      found.set(run, ofRun.set(key, one));
    }
  }
  return new Map([...found].map(([run, ofRun]) => [run, [...ofRun.values()]]));
}

const ABOUT = {
  ended: ' that it has ended',
  asks: ' that it has a question',
  login: ' that its login is about to expire',
  paused: ' that it is paused',
} as const;

export function describeUndelivered({ about, to, how }: Undelivered): string {
  const receiver = to === null ? '' : ` to ${to}`;
  return `Notification${receiver}${about === null ? '' : ABOUT[about]}: ${how}`;
}
