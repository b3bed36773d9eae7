/**
 * Decides where an unsettled issue of an agent goes: to its parent, then to the root, then to a person with
 * choices. The same issue is reported once on each step. A person gets a limited number of new issues an
 * hour, so that recovery does not become a storm.
 */

type EscalationLevel = 'parent' | 'root' | 'person';

export type EscalatedIssue = {
  readonly agent: string;
  /** One word for the kind of trouble: `spinning`, `budget`. */
  readonly kind: string;
  readonly what: string;
  /** The choices for a person. */
  readonly choices: readonly [string, ...string[]];
};

export type EscalationPolicy = {
  /** An issue that occurs again within this time is the same one, and climbs a step. */
  readonly sameWithinMs: number;
  /** The maximum of new items for a person in the window; more are only counted. */
  readonly itemsMax: number;
  readonly itemsWithinMs: number;
};

export const DEFAULT_ESCALATION: EscalationPolicy = {
  sameWithinMs: 3_600_000,
  itemsMax: 10,
  itemsWithinMs: 3_600_000,
};

type Open = { readonly rung: EscalationLevel; readonly sinceMs: number; readonly times: number };

/** Plain data, so that it can be stored. Times are elapsed times. */
export type Escalations = {
  readonly open: Readonly<Record<string, Open>>;
  /** When items were put to a person; never more than the policy allows in its window. */
  readonly askedMs: readonly number[];
};

export const NO_ESCALATIONS: Escalations = { open: {}, askedMs: [] };

export type Escalation =
  | { readonly kind: 'tell'; readonly rung: 'parent' | 'root' }
  | { readonly kind: 'ask'; readonly choices: EscalatedIssue['choices'] }
  /** A person has the issue already, or has had enough for now: it is only counted. */
  | { readonly kind: 'counted'; readonly times: number; readonly because: 'known' | 'enough' };

/** `parent`: whether the agent has a parent that is not the root, the root itself, or none. */
export function escalate(
  escalations: Escalations,
  issue: EscalatedIssue,
  policy: EscalationPolicy,
  { nowMs, parent }: { readonly nowMs: number; readonly parent: 'own' | 'root' | 'none' },
): { readonly decision: Escalation; readonly escalations: Escalations } {
  const key = `${issue.agent} ${issue.kind}`;
  const open = stillOpen(escalations, policy, nowMs);
  const previous = open[key];
  const times = (previous?.times ?? 0) + 1;
  const askedMs = escalations.askedMs.filter(
    (askedAtMs) => nowMs - askedAtMs < policy.itemsWithinMs,
  );
  const withLevel = (rung: EscalationLevel): Readonly<Record<string, Open>> => ({
    ...open,
    [key]: { rung, sinceMs: previous?.sinceMs ?? nowMs, times },
  });
  const next = nextLevel(previous?.rung, parent);
  if (previous?.rung === 'person')
    return {
      decision: { kind: 'counted', times, because: 'known' },
      escalations: { open: withLevel('person'), askedMs },
    };
  if (next !== 'person')
    return {
      decision: { kind: 'tell', rung: next },
      escalations: { open: withLevel(next), askedMs },
    };
  if (askedMs.length >= policy.itemsMax)
    return {
      decision: { kind: 'counted', times, because: 'enough' },
      escalations: { open: withLevel(previous?.rung ?? 'root'), askedMs },
    };
  return {
    decision: { kind: 'ask', choices: issue.choices },
    escalations: { open: withLevel('person'), askedMs: [...askedMs, nowMs] },
  };
}

/** The issue is answered or over. If it occurs again, it starts at the lowest step. */
export function settleEscalation(
  escalations: Escalations,
  { agent, kind }: Pick<EscalatedIssue, 'agent' | 'kind'>,
): Escalations {
  const { [`${agent} ${kind}`]: _, ...open } = escalations.open;
  return { ...escalations, open };
}

function nextLevel(
  rung: EscalationLevel | undefined,
  parent: 'own' | 'root' | 'none',
): EscalationLevel {
  if (rung === undefined && parent === 'own') return 'parent';
  if ((rung === undefined && parent === 'root') || rung === 'parent') return 'root';
  return 'person';
}

/** Issues that a person has stay until they are settled; others expire. */
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
