/** The outcome of a workflow that has come to its end, and which gate steps have to run again before that. */
import { plural, truncate } from '../base/text.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { REASON_MAX } from '../protocol/outcome.ts';
import type { CommitStep, GateStep, WorkflowStep } from '../protocol/workflow-definition.ts';
import type { MeasuredCoverage } from './measured-coverage.ts';
import { leastCoverage } from './measured-coverage.ts';
import type { WorkflowState } from './workflow-state.ts';
import { contentOf, definitionOf, historyOf } from './workflow-state.ts';

/** A required gate step that judged earlier work. Undefined: there is none. */
export function staleGateStep(state: WorkflowState): GateStep | undefined {
  const content = contentOf(state);
  return requiredGateSteps(state).find(({ id }) => {
    const { visits, green, accepted } = historyOf(state, id);
    return visits > 0 && green !== content && accepted !== content;
  });
}

/** Only green gates on exactly the final work are a proof. */
export function finalOutcome(state: WorkflowState): RunOutcome {
  const { summary, remarks, committed } = state;
  const open = requiredGateSteps(state).filter((step) => !isGreen(state, step));
  const unproven =
    open.length === 0
      ? []
      : [
          `${plural(open.length, 'gate step')} without proof: ${open.map(({ id }) => id).join(', ')}`,
        ];
  const commit = committed === null ? [] : [describeCommit(committed)];
  const parts = [summary, ...commit, ...unproven, ...remarks].filter((part) => part !== '');
  const reason = parts.length === 0 ? 'every step is done' : parts.join('; ');
  return {
    kind: isVerified(state) ? 'succeeded' : 'unverified',
    reason: truncate(reason, REASON_MAX),
  };
}

/** Every gate that proves something was green on exactly this work. */
export function isVerified(state: WorkflowState): boolean {
  const proofs = [...requiredGateSteps(state), ...checkedCommits(state)];
  return proofs.length > 0 && proofs.every((step) => isGreen(state, step));
}

function describeCommit({
  branch,
  commit,
  pullRequest,
}: NonNullable<WorkflowState['committed']>): string {
  const request = pullRequest === null ? '' : `, pull request ${pullRequest}`;
  return `committed as ${commit.slice(0, 10)} on ${branch}${request}`;
}

/** Whether the gates have proven the current work. */
export function provenGates(state: WorkflowState): 'green' | 'red' | 'none' {
  const steps = requiredGateSteps(state);
  if (steps.length === 0) return 'none';
  return steps.every((step) => isGreen(state, step)) ? 'green' : 'red';
}

/** Why the gates that are green on the current work prove less than they seem to. */
export function limitsOfGates(state: WorkflowState): readonly string[] {
  const limits = Object.keys(definitionOf(state).steps).flatMap((id) =>
    isGreen(state, { id }) ? historyOf(state, id).proofLimits : [],
  );
  return [...new Set(limits)].slice(0, LIMITS_MAX);
}

const LIMITS_MAX = 5;

/** The lowest coverage that a gate measured on the current work. Undefined: none has measured it. */
export function coverageOf(state: WorkflowState): MeasuredCoverage | undefined {
  const content = contentOf(state);
  return leastCoverage(
    Object.values(state.steps).flatMap(({ coverage }) =>
      coverage?.content === content ? [coverage] : [],
    ),
  );
}

function isGreen(state: WorkflowState, { id }: { readonly id: string }): boolean {
  return historyOf(state, id).green === contentOf(state);
}

function requiredGateSteps(state: WorkflowState): readonly GateStep[] {
  return Object.values(definitionOf(state).steps).filter(
    (step): step is GateStep => step.kind === 'gate' && step.required && canProve(step.gates),
  );
}

/** Commits that were made only after gates on the same files. */
function checkedCommits(state: WorkflowState): readonly CommitStep[] {
  return Object.values(definitionOf(state).steps).filter(
    (step): step is CommitStep =>
      step.kind === 'commit' && canProve(step.before) && historyOf(state, step.id).visits > 0,
  );
}

/** A gate that only warns proves nothing. */
function canProve(gates: readonly PinnedGate[]): boolean {
  return gates.some(({ warns }) => warns !== true);
}

export function gatesOf(step: WorkflowStep): readonly PinnedGate[] {
  switch (step.kind) {
    case 'gate':
      return step.gates;
    case 'commit':
      return step.before;
    case 'command': {
      const { id, command, timeoutMs, allowedWrites } = step;
      return [{ name: id, command, timeoutMs, allowedWrites, count: false }];
    }
    case 'role':
    case 'human':
    case 'review':
      return [];
  }
}
