/** Makes the definition that a run pins from the merged files of a workflow. Every fault is reported. */
import { defined } from '../base/defined.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import type {
  WorkflowDefinition,
  WorkflowGit,
  WorkflowStep,
} from '../protocol/workflow-definition.ts';
import type { WorkflowFile } from '../settings/workflow-file.ts';
import { assembleChain } from './assemble-chain.ts';
import { checkChain } from './check-chain.ts';
import { findContinuity } from './continuity.ts';
import { orderSteps } from './describe-workflow.ts';
import { STEP_RETRIES_DEFAULT } from './retry-policies.ts';
import type { Report, StepDraft } from './step-draft.ts';
import { addLines, findGates } from './step-gates.ts';
import { checkReferences, findOutputs } from './step-outputs.ts';
import type { Outputs } from './step-outputs.ts';
import { toStep } from './to-step.ts';
import type { RoleAnswers } from './workflow-settings.ts';

/** What a workflow is checked against. */
export type WorkflowFacts = {
  /** The roles that its steps name. */
  readonly roles: RoleAnswers;
  /** The gates of the project. */
  readonly gates: readonly PinnedGate[];
  readonly git: WorkflowGit & {
    /** The user allows pull requests. */
    readonly pullRequests: boolean;
  };
};

type DefinedWorkflow = {
  readonly definition: WorkflowDefinition;
  readonly notes: readonly string[];
};

const STEPS_DEFAULT = 50;
const ROUNDS_DEFAULT = 10;

export function defineWorkflow(
  name: string,
  file: WorkflowFile,
  { roles, gates, git: { pullRequests, ...git } }: WorkflowFacts,
  { report, isOfBase }: { readonly report: Report; readonly isOfBase: (id: string) => boolean },
): DefinedWorkflow {
  const assembled = assembleChain(file, {
    ...{ roles, gates, report, isOfBase },
    makesBranches: git.branchPattern !== null,
  });
  const { chain } = assembled;
  const hooks = findGates(file.hooks.pre_commit ?? [], gates, ['hooks', 'pre_commit'], report);
  const outputs = outputsOf(chain.drafts, roles, report);
  checkReferences(chain.drafts, outputs, report);
  const context = { roles, limits: file.limits, gates: assembled.gates, before: hooks.gates };
  const continuity = findContinuity(file.settings.continuity, chain.drafts, roles, report);
  const steps = chain.drafts.map((draft) => toStep(draft, { ...context, outputs, report }));
  if (!name.startsWith('_')) checkChain(chain, report);
  if (file.settings.require_tests === true && !steps.some(({ kind }) => kind === 'gate'))
    report(
      ['settings', 'require_tests'],
      `no step runs a gate of this project. ${addLines(['test'])}`,
    );
  const asks = chain.drafts.some(
    (one) => one.kind === 'commit' && one.file.human_approval === true,
  );
  const allowed = pullRequests ? steps : steps.map(withoutPullRequest);
  const refused = steps.filter((step, nth) => step !== allowed[nth]);
  const byId = Object.fromEntries(allowed.map((step) => [step.id, step]));
  const ordered = orderSteps({ initialStep: chain.initial, steps: byId });
  return {
    notes: [
      ...assembled.notes,
      ...(steps.some(({ kind }) => kind === 'commit') ? hooks.missing : []).map(
        (kind) => `Before a commit: this project has no gate for ${kind}.`,
      ),
      ...refused.map(({ id }) => `${id} ${NO_PULL_REQUEST}`),
    ],
    definition: {
      name,
      description: file.description ?? '',
      initialStep: chain.initial,
      steps: Object.fromEntries(ordered.map((step) => [step.id, step])),
      limits: {
        stepsMax: file.limits.workflow_max_steps ?? STEPS_DEFAULT,
        retriesMax: file.limits.step_max_retries ?? STEP_RETRIES_DEFAULT,
        roundsMax: file.limits.max_rounds ?? ROUNDS_DEFAULT,
        ...tokenLimits(file.limits, report),
      },
      git: { ...git, autoCommit: git.autoCommit && !asks },
      ...defined({ continuity }),
    },
  };
}

function tokenLimits(
  { default_token_budget: tokensDefault, max_token_budget: tokensMax }: WorkflowFile['limits'],
  report: Report,
): Pick<WorkflowDefinition['limits'], 'tokensDefault' | 'tokensMax'> {
  if (tokensDefault !== undefined && tokensMax !== undefined && tokensDefault > tokensMax)
    report(
      ['limits', 'default_token_budget'],
      `expected at most ${tokensMax}, which is max_token_budget, found ${tokensDefault}`,
    );
  return defined({ tokensDefault, tokensMax });
}

const NO_PULL_REQUEST =
  'opens no pull request: to allow it, set git.pull_requests: true in your own config.yaml.';

function withoutPullRequest(step: WorkflowStep): WorkflowStep {
  return step.kind === 'commit' && step.pullRequest !== null
    ? { ...step, pullRequest: null }
    : step;
}

function outputsOf(
  drafts: readonly StepDraft[],
  roles: RoleAnswers,
  report: Report,
): ReadonlyMap<string, Outputs> {
  return new Map(
    drafts.map((draft) => {
      const answer = draft.kind === 'role' ? (roles.get(draft.file.role ?? '') ?? null) : null;
      return [draft.id, findOutputs(draft, answer, report)];
    }),
  );
}
