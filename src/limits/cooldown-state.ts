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
  /** The last report: the same report again comes from a run that did not see the first. */
  readonly said: string;
};

export type Cooldowns = ReadonlyMap<string, Cooldown>;

export const NO_COOLDOWNS: Cooldowns = new Map();

/** Who was limited longest ago is forgotten first. */
export const COOLDOWNS_MAX = 1000;

export function foldCooldowns(cooldowns: Cooldowns, event: CooldownEvent): Cooldowns {
  if (event.type === 'cooldown.set')
    return bounded(new Map(cooldowns).set(event.payload.identity, after(cooldowns, event)));
  const left = new Map(cooldowns);
  for (const identity of event.payload.identities) {
    const cooldown = left.get(identity);
    if (cooldown !== undefined) left.set(identity, { ...cooldown, until: null });
  }
  return left;
}

function after(
  cooldowns: Cooldowns,
  { payload, at }: Extract<CooldownEvent, { type: 'cooldown.set' }>,
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
export function isKnown(cooldowns: Cooldowns, said: Payload<'cooldown.set'>): boolean {
  return cooldowns.get(said.identity)?.said === sayingOf(said);
}

function sayingOf({
  run,
  until,
  reason,
}: Pick<Payload<'cooldown.set'>, 'run' | 'until' | 'reason'>): string {
  return `${run} ${until} ${reason}`;
}

export type CoolingAgent = Cooldown & { readonly until: number };

/** Those that rest at this time, the first to be free first. */
export function coolingAt(cooldowns: Cooldowns, now: number): readonly CoolingAgent[] {
  return [...cooldowns.values()]
    .filter((one): one is CoolingAgent => one.until !== null && one.until > now)
    .toSorted((a, b) => a.until - b.until || (a.identity < b.identity ? -1 : 1));
}
