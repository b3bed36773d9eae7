/** The effect of each key under `settings`. What a key demands and a workflow does not have is reported. */
import type { AnswerKind } from '../protocol/answer.ts';
import type { WorkflowSettings } from '../settings/workflow-file.ts';
import type { Chain } from './link-steps.ts';
import { splitReviews } from './link-steps.ts';
import type { Report, StepDraft } from './step-draft.ts';

export type RoleAnswers = ReadonlyMap<string, AnswerKind>;

/** Steps that `security_review: false` leaves out. */
export function securitySteps(
  { drafts }: Chain,
  { security_review: wanted }: WorkflowSettings,
): readonly string[] {
  return wanted === false ? drafts.filter(isSecurityReview).map(({ id }) => id) : [];
}

export function applySettings(
  chain: Chain,
  settings: WorkflowSettings,
  roles: RoleAnswers,
  report: Report,
): Chain {
  const inSequence = ({ file }: StepDraft): boolean =>
    file.parallel === false || (settings.parallel_reviews === false && file.parallel === undefined);
  const split = splitReviews(chain, inSequence, report);
  const drafts = split.drafts.map((draft) => ({
    ...draft,
    file: { ...draft.file, ...approval(draft, settings), ...changes(draft, settings, roles) },
  }));
  return { ...split, drafts };
}

/** `chain` still contains the disabled steps: to disable one is a decision of its own. */
export function demandReviews({ drafts }: Chain, settings: WorkflowSettings, report: Report): void {
  if (settings.security_review === true && !drafts.some(isSecurityReview))
    report(
      ['settings', 'security_review'],
      'no step is a review by a security role: add one, such as role: security_auditor',
    );
  if (settings.dual_review === true && !drafts.some(isDual))
    report(
      ['settings', 'dual_review'],
      'no step has two roles that must both approve: add one with roles: [ROLE, ROLE]',
    );
}

function isDual({ kind, file }: StepDraft): boolean {
  return kind === 'review' && (file.roles ?? []).length >= 2 && (file.agree ?? 'all') === 'all';
}

function isSecurityReview({ id, kind, file }: StepDraft): boolean {
  if (kind !== 'role' && kind !== 'review') return false;
  const reviews = kind === 'review' || file.gate !== undefined || file.on_reject !== undefined;
  const named = [id, file.role ?? '', ...(file.roles ?? [])];
  return reviews && named.some((name) => name.includes('security'));
}

function approval(
  { kind }: StepDraft,
  { human_approval: wanted }: WorkflowSettings,
): StepDraft['file'] {
  if (wanted === false) return { human_approval: false };
  return wanted === true && kind === 'commit' ? { human_approval: true } : {};
}

/** What roles that write code are asked for, and whether a commit becomes a pull request. */
function changes(
  { kind, file }: StepDraft,
  settings: WorkflowSettings,
  roles: RoleAnswers,
): StepDraft['file'] {
  if (kind === 'commit' && settings.auto_pr !== undefined)
    return { pull_request: settings.auto_pr ? (file.pull_request ?? true) : false };
  const writes = kind === 'role' && roles.get(file.role ?? '') === 'implementation';
  if (!writes) return {};
  const asked = {
    ...(settings.require_changelog === true && { changelog: 'required' }),
    ...(settings.skip_edge_cases === true && { edge_cases: 'skip' }),
  };
  return Object.keys(asked).length === 0 ? {} : { config: { ...asked, ...file.config } };
}
