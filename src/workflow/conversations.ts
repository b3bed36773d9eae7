/**
 * Which conversation a step continues. Every step begins a new one, except those of the roles that the workflow names.
 * They continue the conversation of their last step, a bounded number of times, and never after a failure.
 */
import type { StepConversation } from '../protocol/contracts/workflow-contract.ts';
import type { WorkflowStep } from '../protocol/workflow-definition.ts';
import type { RolePart, WorkflowState } from './workflow-state.ts';
import { definitionOf } from './workflow-state.ts';

/** Whether a later step may continue what the agent of this one said. Reviewers side by side never do. */
export function mayContinue(state: WorkflowState, step: WorkflowStep): boolean {
  const { continuity } = definitionOf(state);
  return step.kind === 'role' && continuity?.roles.includes(step.role) === true;
}

/** Undefined: the step begins a new conversation. */
export function continuedBy(
  state: WorkflowState,
  step: WorkflowStep,
): StepConversation | undefined {
  if (step.kind !== 'role' || !mayContinue(state, step)) return undefined;
  const { conversations = {} } = state;
  const found = Object.hasOwn(conversations, step.role) ? conversations[step.role] : undefined;
  if (found === undefined) return undefined;
  const { turns, ...conversation } = found;
  return turns < (definitionOf(state).continuity?.turnsMax ?? 0) ? conversation : undefined;
}

/** The run of the step has ended. If it failed, the next one begins a new conversation: what was wrong may be in its conversation. */
export function keepConversation(
  state: WorkflowState,
  step: WorkflowStep,
  { run, collected }: RolePart,
  hasFailed: boolean,
): WorkflowState {
  if (step.kind !== 'role' || !mayContinue(state, step)) return state;
  const { [step.role]: last, ...others } = state.conversations ?? {};
  const named = collected?.conversation;
  if (hasFailed || named === undefined || run === null) return { ...state, conversations: others };
  const continued = continuedBy(state, step);
  const folderOf = continued?.folderOf ?? run;
  const turns = continued === undefined || last === undefined ? 0 : last.turns + 1;
  const kept = { ...named, run, folderOf, turns };
  return { ...state, conversations: { ...others, [step.role]: kept } };
}
