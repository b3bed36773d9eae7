/** Whose approval the work of a step needs, and how approvals are counted. */
import { defined } from '../base/defined.ts';
import { requirementOf } from '../approvals/approval-rules.ts';
import type { Move } from '../engine/program.ts';
import type {
  ApprovalDecision,
  ApprovalNeeds,
  ApprovalPolicy,
  Risk,
} from '../protocol/approval.ts';
import type { CommandEnd } from '../protocol/commands.ts';
import { coverageOf, limitsOfGates, provenGates } from './final-outcome.ts';
import { numberedKey } from './step-keys.ts';
import type { Question, WorkflowState } from './workflow-state.ts';

/** The name under which the user of this machine approves without a secret. */
const USER = 'the user of this machine';

/** Only a change has a risk. A plan is approved by any person. */
export function needsAssessment({ settings, work, size }: WorkflowState): boolean {
  const hasChange = work !== null && size !== null && size.files > 0;
  return settings.workflow.approvals !== undefined && hasChange;
}

/** Undefined: the risk is known, or nothing depends on it. */
export function assessMove(state: WorkflowState, question: Question): Move | undefined {
  const { project, settings, work } = state;
  const policy = settings.workflow.approvals;
  if (question.needs !== null || policy === undefined || work === null) return undefined;
  const key = numberedKey('assess', question.step, question.number);
  const proven = { gates: provenGates(state), gateLimits: limitsOfGates(state) };
  const known = { ...proven, breaking: isBreaking(state) };
  const { percent: coverage, unlisted } = coverageOf(state) ?? {};
  const input = { project, work, policy, ...known, ...defined({ coverage, unlisted }) };
  return { kind: 'perform', key, command: 'assess-change', input };
}

/** A step reports it as an output with the name `breaking` or `breaking_change`. */
function isBreaking({ outputs }: WorkflowState): boolean {
  return outputs['breaking'] === true || outputs['breaking_change'] === true;
}

/** If the risk could not be assessed, the work counts as one of high risk. */
export function needsOf(
  end: Exclude<CommandEnd<'assess-change'>, { kind: 'interrupted' }>,
  policy: ApprovalPolicy,
): ApprovalNeeds {
  const risk: Risk =
    end.kind === 'done'
      ? end.result
      : { tier: 'high', reasons: [`its risk could not be assessed: ${end.message}`] };
  return { ...risk, ...requirementOf(risk.tier, policy), approvedBy: [] };
}

/**
 * The needs after one more approval. `not-counted`: it is about other work, or the same person approved before. The
 * owner refuses such a decision already, but two may arrive at once.
 */
export function addApproval(
  needs: ApprovalNeeds | null | undefined,
  work: string,
  decision: ApprovalDecision | undefined,
): ApprovalNeeds | undefined | 'not-counted' {
  if (needs === undefined || needs === null) return undefined;
  const name = decision?.by ?? USER;
  const isNamed = decision !== undefined && decision.by !== null;
  const needsName = needs.tier === 'high' || needs.tier === 'critical';
  const isOther = decision !== undefined && decision.work !== work;
  if (isOther || needs.approvedBy.includes(name) || (needsName && !isNamed)) return 'not-counted';
  return { ...needs, approvedBy: [...needs.approvedBy, name] };
}

export function isApproved({ approvedBy, peopleMin }: ApprovalNeeds): boolean {
  return approvedBy.length >= peopleMin;
}
