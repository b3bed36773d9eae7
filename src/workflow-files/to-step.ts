/** Turns a checked draft into a step of the definition that a run pins. */
import type { Json } from '../base/json.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import type { CommitStep, WorkflowStep } from '../protocol/workflow-definition.ts';
import type { WorkflowLimitsFile } from '../settings/workflow-file.ts';
import { quote } from '../yaml/problem.ts';
import { chooseRetryPolicy } from './retry-policies.ts';
import type { Report, StepDraft } from './step-draft.ts';
import { toCommand } from './step-gates.ts';
import type { Outputs } from './step-outputs.ts';
import type { RoleAnswers } from './workflow-settings.ts';

const STEP_MS_DEFAULT = 3_600_000;

export type StepContext = {
  readonly roles: RoleAnswers;
  readonly limits: WorkflowLimitsFile;
  readonly gates: ReadonlyMap<string, readonly PinnedGate[]>;
  /** The gates of the hook before a commit. */
  readonly before: readonly PinnedGate[];
  readonly outputs: ReadonlyMap<string, Outputs>;
  readonly report: Report;
};

export function toStep(draft: StepDraft, context: StepContext): WorkflowStep {
  const { id, kind, file, path, next, onFail, onReject } = draft;
  const { roles, limits, report } = context;
  const answer = kind === 'role' ? (roles.get(file.role ?? '') ?? 'generic') : null;
  const limitMs =
    limits.step_timeout ??
    (limits.step_timeout_seconds === undefined ? undefined : limits.step_timeout_seconds * 1000);
  const base = {
    id,
    description: file.description ?? '',
    next,
    onFail,
    timeoutMs: file.timeout ?? limitMs ?? STEP_MS_DEFAULT,
    retry: chooseRetryPolicy(draft, answer, limits, report),
    // The question before a commit is its approval.
    humanApproval: kind !== 'commit' && file.human_approval === true,
    required: file.required !== false,
    outputs: context.outputs.get(id) ?? {},
    config: (file.config ?? {}) as Readonly<Record<string, Json>>, // YAML values are always JSON
  };
  switch (kind) {
    case 'role': {
      const judges = file.gate !== undefined || onReject !== null;
      if (judges) checkVerdict(file.role ?? '', roles, [...path, 'role'], report);
      const contextScope =
        (file.context_scope ?? 'project') === 'project' ? 'project' : 'component';
      return { ...base, kind, role: file.role ?? '', onReject, contextScope };
    }
    case 'review': {
      const names = file.roles ?? [];
      for (const [index, role] of names.entries()) {
        const at = [...path, 'roles', index];
        if (names.indexOf(role) !== index) report(at, `${quote(role)} is given twice`);
        checkVerdict(role, roles, at, report);
      }
      return { ...base, kind, roles: names, agree: file.agree ?? 'all', onReject };
    }
    case 'gate':
      return { ...base, kind, gates: context.gates.get(id) ?? [] };
    case 'human':
      return { ...base, kind, onReject };
    case 'command': {
      const command = toCommand(file.command ?? '', [...path, 'command'], report);
      return { ...base, kind, command, allowedWrites: file.allowed_writes ?? [] };
    }
    case 'commit':
      return { ...base, kind, before: context.before, pullRequest: toPullRequest(draft) };
  }
}

const NO_VERDICT: readonly AnswerKind[] = ['plan', 'implementation'];

/** Only an answer with a verdict can approve or reject. */
function checkVerdict(
  role: string,
  roles: RoleAnswers,
  path: StepDraft['path'],
  report: Report,
): void {
  const answer = roles.get(role);
  if (answer === undefined || !NO_VERDICT.includes(answer)) return;
  const message = `the role ${quote(role)} answers with the form ${answer}, which has no verdict: a review needs a role with answer: review`;
  report(path, message);
}

/** Null: none is opened. */
function toPullRequest({ file }: StepDraft): CommitStep['pullRequest'] {
  const { pull_request: written, command = '' } = file;
  if (written === undefined) {
    return command.trim().startsWith('gh pr') ? { draft: command.includes('--draft') } : null;
  }
  if (typeof written === 'boolean') return written ? { draft: true } : null;
  return { draft: written.draft ?? true };
}
