/**
 * Who hears of what an agent's supervisor could not settle: its parent, then the root, then a person,
 * who is given choices. The same matter is said once on each step, and a person gets so many an hour and
 * no more: recovery must not become a storm.
 */

export type EscalationLevel = 'parent' | 'root' | 'person';

export type EscalatedIssue = {
  readonly agent: string;
  /** One word for one kind of trouble: `spinning`, `budget`. */
  readonly kind: string;
  readonly what: string;
  /** What a person may choose from. */
  readonly choices: readonly [string, ...string[]];
};

export type EscalationPolicy = {
  /** A matter that comes again within this time is the same one, and climbs. */
  readonly sameWithinMs: number;
  /** So many new items for a person in the window; the rest is counted. */
  readonly itemsMax: number;
  readonly itemsWithinMs: number;
};

export const DEFAULT_ESCALATION: EscalationPolicy = {
  sameWithinMs: 3_600_000,
  itemsMax: 10,
  itemsWithinMs: 3_600_000,
};

type Open = { readonly rung: EscalationLevel; readonly sinceMs: number; readonly times: number };

/** Plain data, so that it can be written down. Times are of elapsed time. */
export type Escalations = {
  readonly open: Readonly<Record<string, Open>>;
  /** When items were put before a person; never more than the policy allows in its window. */
  readonly askedMs: readonly number[];
};

export const NO_ESCALATIONS: Escalations = { open: {}, askedMs: [] };

export type Escalation =
  | { readonly kind: 'tell'; readonly rung: 'parent' | 'root' }
  | { readonly kind: 'ask'; readonly choices: EscalatedIssue['choices'] }
  /** It is before a person already, or they have had enough for now: counted, and nothing else. */
  | { readonly kind: 'counted'; readonly times: number; readonly because: 'known' | 'enough' };

/** Whether the agent has a parent that is not the root: a child of the root has the root for its parent. */
export function escalate(
  now: Escalations,
  matter: EscalatedIssue,
  policy: EscalationPolicy,
  { nowMs, parent }: { readonly nowMs: number; readonly parent: 'own' | 'root' | 'none' },
): { readonly does: Escalation; readonly left: Escalations } {
  const key = `${matter.agent} ${matter.kind}`;
  const open = stillOpen(now, policy, nowMs);
  const before = open[key];
  const times = (before?.times ?? 0) + 1;
  const askedMs = now.askedMs.filter((then) => nowMs - then < policy.itemsWithinMs);
  const set = (rung: EscalationLevel): Readonly<Record<string, Open>> => ({
    ...open,
    [key]: { rung, sinceMs: before?.sinceMs ?? nowMs, times },
  });
  const next = rungAfter(before?.rung, parent);
  if (before?.rung === 'person')
    return {
      does: { kind: 'counted', times, because: 'known' },
      left: { open: set('person'), askedMs },
    };
  if (next !== 'person')
    return { does: { kind: 'tell', rung: next }, left: { open: set(next), askedMs } };
  if (askedMs.length >= policy.itemsMax)
    return {
      does: { kind: 'counted', times, because: 'enough' },
      left: { open: set(before?.rung ?? 'root'), askedMs },
    };
  return {
    does: { kind: 'ask', choices: matter.choices },
    left: { open: set('person'), askedMs: [...askedMs, nowMs] },
  };
}

/** A person has answered, or it came right by itself: if it comes again, it begins at the bottom. */
export function settleEscalation(
  now: Escalations,
  { agent, kind }: Pick<EscalatedIssue, 'agent' | 'kind'>,
): Escalations {
  const { [`${agent} ${kind}`]: _, ...open } = now.open;
  return { ...now, open };
}

function rungAfter(
  rung: EscalationLevel | undefined,
  parent: 'own' | 'root' | 'none',
): EscalationLevel {
  if (rung === undefined && parent === 'own') return 'parent';
  if ((rung === undefined && parent === 'root') || rung === 'parent') return 'root';
  return 'person';
}

/** What is before a person stays until it is settled; the rest is forgotten in time. */
function stillOpen(
  { open }: Escalations,
  { sameWithinMs }: EscalationPolicy,
  nowMs: number,
): Readonly<Record<string, Open>> {
  return Object.fromEntries(
    Object.entries(open).filter(
      ([, { rung, sinceMs }]) => rung === 'person' || nowMs - sinceMs < sameWithinMs,
    ),
  );
}
