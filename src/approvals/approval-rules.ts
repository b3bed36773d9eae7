/** Whose approval a risk needs, and whether the approval of a person counts. */
import type {
  ApprovalDecision,
  ApprovalNeeds,
  ApprovalPolicy,
  RiskTier,
} from '../protocol/approval.ts';

/** Whose approval a tier needs, and how long it may take. */
export function requirementOf(
  tier: RiskTier,
  policy: ApprovalPolicy,
): Pick<ApprovalNeeds, 'peopleMin' | 'approvers' | 'timeout'> {
  const timeout = policy.timeouts?.[tier];
  return { ...peopleFor(tier, policy), ...(timeout === undefined ? {} : { timeout }) };
}

/** A low risk needs no person. */
function peopleFor(
  tier: RiskTier,
  { critical, approvers }: ApprovalPolicy,
): Pick<ApprovalNeeds, 'peopleMin' | 'approvers'> {
  switch (tier) {
    case 'low':
      return { peopleMin: 0, approvers: [] };
    case 'medium':
      return { peopleMin: 1, approvers: [] };
    case 'high':
      return { peopleMin: 1, approvers: approvers.high };
    case 'critical':
      return { peopleMin: critical.peopleMin, approvers: approvers.critical };
  }
}

export type ApprovalObjection = {
  readonly kind: 'work-moved' | 'needs-approver' | 'wrong-approver' | 'approved-before';
  readonly message: string;
};

/** Why an approval does not count. High and critical risks need a named person with a secret. */
export function objectionTo(
  needs: ApprovalNeeds | undefined,
  work: string,
  decision: ApprovalDecision,
): ApprovalObjection | undefined {
  if (decision.work !== work)
    return {
      kind: 'work-moved',
      message: `The work has changed since you saw it: it was ${shortHash(decision.work)}, and it is ${shortHash(work)} now.`,
    };
  if (needs === undefined) return undefined;
  const { tier, approvers, approvedBy } = needs;
  const { by, groups } = decision;
  const needsName = tier === 'high' || tier === 'critical';
  if (needsName && by === null)
    return {
      kind: 'needs-approver',
      message: `A change of ${tier} risk needs a named approver.`,
    };
  const names = [by ?? '', ...groups];
  if (needsName && approvers.length > 0 && !approvers.some((one) => names.includes(one)))
    return {
      kind: 'wrong-approver',
      message: `${by ?? ''} may not approve a change of ${tier} risk. It needs one of: ${approvers.join(', ')}.`,
    };
  if (by !== null && approvedBy.includes(by))
    return {
      kind: 'approved-before',
      message: `${by} has approved this change already. Another person has to approve it too.`,
    };
  return undefined;
}

const HASH_SHOWN = 12;

function shortHash(hash: string): string {
  return hash === '' ? 'empty' : hash.slice(0, HASH_SHOWN);
}
