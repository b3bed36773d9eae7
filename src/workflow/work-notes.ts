/** What the roles of a workflow say to those who build on its work. */
import type { Json } from '../base/json.ts';
import { ANSWERS, NOTES_MAX } from '../protocol/answer.ts';
import type { WorkflowState } from './workflow-state.ts';

/** A note that a later visit repeats counts once. The newest ones are kept. */
export function addNotes(state: WorkflowState, answer: Json): WorkflowState {
  const said = ANSWERS.implementation.safeParse(answer).data?.notes ?? [];
  if (said.length === 0) return state;
  const others = (state.notes ?? []).filter((one) => !said.includes(one));
  return { ...state, notes: [...others, ...said].slice(-NOTES_MAX) };
}
