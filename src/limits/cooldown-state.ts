/**
 * Which identities rest until when, folded from facts. A limit is the provider's and not a project's:
 * whoever is limited in one project is limited in all of them.
 */
import type { StoredEvent } from '../protocol/event.ts';

export type Cooldown = {
  readonly identity: string;
  /** The name under which it was limited last. */
  readonly agent: string;
  /** Milliseconds since 1970; null: a person has cleared it. */
  readonly until: number | null;
  readonly reason: string;
  readonly lastLimitedAt: number;
  /** What was said last: the same once more is a repetition by somebody who did not see it written. */
  readonly said: string;
};

export type Cooldowns = ReadonlyMap<string, Cooldown>;

export const NO_COOLDOWNS: Cooldowns = new Map();

/** Who was limited longest ago is forgotten first. */
export const COOLDOWNS_MAX = 1000;

export type CooldownEvent = {
  readonly identity: string;
  readonly agent: string;
  readonly run: string;
  readonly until: number;
  readonly reason: string;
};

/** The facts of other streams change nothing. */
export function foldCooldowns(cooldowns: Cooldowns, event: StoredEvent): Cooldowns {
  if (event.type === 'cooldown.set')
    return bounded(new Map(cooldowns).set(event.payload.identity, after(cooldowns, event)));
  if (event.type !== 'cooldown.cleared') return cooldowns;
  const left = new Map(cooldowns);
  for (const identity of event.payload.identities) {
    const cooldown = left.get(identity);
    if (cooldown !== undefined) left.set(identity, { ...cooldown, until: null });
  }
  return left;
}

function after(
  cooldowns: Cooldowns,
  { payload, at }: Extract<StoredEvent, { type: 'cooldown.set' }>,
): Cooldown {
  const { identity, agent, until, reason } = payload;
  const before = cooldowns.get(identity);
  const limited = { identity, agent, lastLimitedAt: at, said: sayingOf(payload) };
  // The longer one wins: a provider that names an hour is not taken at a later guess of a minute.
  if (before !== undefined && before.until !== null && before.until > until)
    return { ...limited, until: before.until, reason: before.reason };
  return { ...limited, until, reason };
}

function bounded(cooldowns: Map<string, Cooldown>): Cooldowns {
  if (cooldowns.size <= COOLDOWNS_MAX) return cooldowns;
  const [oldest] = [...cooldowns.values()].toSorted((a, b) => a.lastLimitedAt - b.lastLimitedAt);
  if (oldest !== undefined) cooldowns.delete(oldest.identity);
  return cooldowns;
}

/** Whether this was the last that was said of the identity, even if a person has cleared it since. */
export function isKnown(cooldowns: Cooldowns, said: CooldownEvent): boolean {
  return cooldowns.get(said.identity)?.said === sayingOf(said);
}

function sayingOf({ run, until, reason }: Omit<CooldownEvent, 'identity' | 'agent'>): string {
  return `${run} ${until} ${reason}`;
}

export type CoolingAgent = Cooldown & { readonly until: number };

/** Those that rest at this time, the first to be free first. */
export function coolingAt(cooldowns: Cooldowns, now: number): readonly CoolingAgent[] {
  return [...cooldowns.values()]
    .filter((one): one is CoolingAgent => one.until !== null && one.until > now)
    .toSorted((a, b) => a.until - b.until || (a.identity < b.identity ? -1 : 1));
}
