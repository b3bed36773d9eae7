/**
 * Which identities cool down until when, folded from facts. A limit belongs to the provider and not
 * to a project: an identity that is limited in one project is limited in all of them.
 */
import type { CooldownEvent, Payload } from '../protocol/event.ts';

export type Cooldown = {
  readonly identity: string;
  /** The name under which it was limited last. */
  readonly agent: string;
  /** Milliseconds since 1970; null: a person has cleared it. */
  readonly until: number | null;
  readonly reason: string;
  readonly lastLimitedAt: number;
  /** A key of the last report. A run that did not see a report may repeat it, and the repetition is ignored. */
  readonly said: string;
};

export type Cooldowns = ReadonlyMap<string, Cooldown>;

export const NO_COOLDOWNS: Cooldowns = new Map();

/** Beyond this number, the identity that was limited longest ago is dropped. */
export const COOLDOWNS_MAX = 1000;

export function foldCooldowns(cooldowns: Cooldowns, event: CooldownEvent): Cooldowns {
  if (event.type === 'cooldown.set')
    return dropOldest(new Map(cooldowns).set(event.payload.identity, toCooldown(cooldowns, event)));
  const remaining = new Map(cooldowns);
  for (const identity of event.payload.identities) {
    const cooldown = remaining.get(identity);
    if (cooldown !== undefined) remaining.set(identity, { ...cooldown, until: null });
  }
  return remaining;
}

function toCooldown(
  cooldowns: Cooldowns,
  { payload, at }: Extract<CooldownEvent, { type: 'cooldown.set' }>,
): Cooldown {
  const { identity, agent, until, reason } = payload;
  const before = cooldowns.get(identity);
  const limited = { identity, agent, lastLimitedAt: at, said: reportKey(payload) };
  // The longer one wins: a later guess of a minute does not replace an hour that the provider named.
  if (before !== undefined && before.until !== null && before.until > until)
    return { ...limited, until: before.until, reason: before.reason };
  return { ...limited, until, reason };
}

function dropOldest(cooldowns: Map<string, Cooldown>): Cooldowns {
  if (cooldowns.size <= COOLDOWNS_MAX) return cooldowns;
  const [oldest] = [...cooldowns.values()].toSorted((a, b) => a.lastLimitedAt - b.lastLimitedAt);
  if (oldest !== undefined) cooldowns.delete(oldest.identity);
  return cooldowns;
}

/** Whether this is the last report about the identity, even if a person has cleared the cooldown since. */
export function isKnown(cooldowns: Cooldowns, report: Payload<'cooldown.set'>): boolean {
  return cooldowns.get(report.identity)?.said === reportKey(report);
}

function reportKey({
  run,
  until,
  reason,
}: Pick<Payload<'cooldown.set'>, 'run' | 'until' | 'reason'>): string {
  return `${run} ${until} ${reason}`;
}

export type CoolingAgent = Cooldown & { readonly until: number };

/** The identities that are cooling down at this time, the first to be free first. */
export function coolingAt(cooldowns: Cooldowns, now: number): readonly CoolingAgent[] {
  return [...cooldowns.values()]
    .filter((one): one is CoolingAgent => one.until !== null && one.until > now)
    .toSorted((a, b) => a.until - b.until || (a.identity < b.identity ? -1 : 1));
}
