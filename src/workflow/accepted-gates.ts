/** Which red gates a person has accepted, each on exactly one state of the work. */
import type { AcceptedGate } from '../protocol/words/accepted-gate.ts';
import type { WorkflowState } from './workflow-state.ts';
import { contentOf } from './workflow-state.ts';

/** Each needs an answer of a person, so there are few. */
const ACCEPTED_MAX = 100;

/** The gates that a person accepted on the current work. */
export function acceptedOnWork(state: WorkflowState): readonly AcceptedGate[] {
  const content = contentOf(state);
  return (state.acceptedGates ?? [])
    .filter((one) => one.content === content)
    .map(({ gate, by }) => ({ gate, by }));
}

/** The person who accepted this gate on the current work. Undefined: none did. */
export function acceptedBy(state: WorkflowState, gate: string): string | undefined {
  return acceptedOnWork(state).findLast((one) => one.gate === gate)?.by;
}

/** The current work is accepted although these gates are red on it. */
export function acceptGates(
  state: WorkflowState,
  accepted: readonly AcceptedGate[],
): WorkflowState {
  if (accepted.length === 0) return state;
  const content = contentOf(state);
  const isNew = (one: { gate: string; content: string }): boolean =>
    one.content !== content || !accepted.some(({ gate }) => gate === one.gate);
  const kept = (state.acceptedGates ?? []).filter(isNew);
  const added = accepted.map(({ gate, by }) => ({ gate, by, content }));
  return { ...state, acceptedGates: [...kept, ...added].slice(-ACCEPTED_MAX) };
}
