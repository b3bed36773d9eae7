/** `settings.continuity`: which roles continue the conversation of their last step. */
import type { WorkflowContinuity } from '../protocol/workflow-definition.ts';
import type { ContinuityFile } from '../settings/workflow-file.ts';
import { CONTINUED_STEPS_DEFAULT } from '../settings/workflow-file.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { Report, StepDraft } from './step-draft.ts';
import type { RoleAnswers } from './workflow-settings.ts';

/** Roles for which it helps to remember, if a workflow has them. */
const DEFAULT_ROLES = ['planner', 'investigator'];

/** Why a role with such an answer begins a new conversation in every step. */
const FRESH: Readonly<Partial<Record<string, string>>> = {
  implementation: 'writes code, and code is written by a fresh agent that sees the work as it is',
  review: 'reviews, and a review is not bound to what it has said before',
};

/** Undefined: every step begins a new conversation. */
export function findContinuity(
  file: ContinuityFile | undefined,
  drafts: readonly StepDraft[],
  answers: RoleAnswers,
  report: Report,
): WorkflowContinuity | undefined {
  if (file === undefined || file.allow_continuation === false) return undefined;
  const used = [
    ...new Set(drafts.flatMap(({ kind, file: { role } }) => (kind === 'role' ? (role ?? []) : []))),
  ];
  const named = file.continuation_roles;
  for (const [nth, role] of (named ?? []).entries()) {
    const path = ['settings', 'continuity', 'continuation_roles', nth];
    const meant = nearest(role, used);
    if (!used.includes(role))
      report(path, `no step has the role ${quote(role)}${suggest(meant)}`, meant);
    const why = FRESH[answers.get(role) ?? ''];
    if (used.includes(role) && why !== undefined) report(path, `the role ${quote(role)} ${why}`);
  }
  const roles = (named ?? DEFAULT_ROLES).filter((role) => used.includes(role));
  const turnsMax = file.max_continuation_turns ?? CONTINUED_STEPS_DEFAULT;
  return roles.length === 0 ? undefined : { roles, turnsMax };
}
