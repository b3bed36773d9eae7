/** What the turns of one run showed, folded from its facts: which anomalies, and whether the agent was told. */
import type { AnomalyNote } from '../protocol/contracts/steering-contract.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { MessagesState } from '../protocol/views/message-view.ts';
import { foldMessages, isDone, NO_MESSAGES } from '../protocol/views/message-view.ts';
import type { SteeringCase, SteeringChannel } from './steering-report.ts';

export type SteeringFold = {
  readonly messages: MessagesState;
  /** How a message reaches each attempt, by its key. */
  readonly channels: ReadonlyMap<string, SteeringChannel>;
  readonly found: readonly { readonly attempt: string; readonly note: AnomalyNote }[];
};

export const NO_STEERING: SteeringFold = { messages: NO_MESSAGES, channels: new Map(), found: [] };

export function foldSteering(state: SteeringFold, event: RunEvent): SteeringFold {
  const messages = foldMessages(state.messages, event);
  if (event.type !== 'command.noted' || event.payload.command !== 'attempt')
    return messages === state.messages ? state : { ...state, messages };
  const { key, note } = event.payload;
  if (note.kind === 'anomaly')
    return { ...state, messages, found: [...state.found, { attempt: key, note }] };
  if (note.kind !== 'started') return { ...state, messages };
  return {
    ...state,
    messages,
    channels: new Map(state.channels).set(key, note.messages ?? 'none'),
  };
}

/** A message counts when the agent has it, and not when it only waits. */
export function casesOf(
  run: string,
  { messages, channels, found }: SteeringFold,
  outcome: RunOutcome | null,
): readonly SteeringCase[] {
  const read = new Set(messages.all.filter(isDone).map(({ id }) => id));
  const failed = hasFailed(outcome);
  return found.map(({ attempt, note: { detector, model, message } }) => ({
    ...{ run, detector, model, failed },
    channel: channels.get(attempt) ?? 'none',
    told: message !== undefined && read.has(message),
  }));
}

/** Null: no gate has judged the work, or a person stopped it. */
function hasFailed(outcome: RunOutcome | null): boolean | null {
  if (outcome?.kind === 'succeeded') return false;
  return outcome !== null && FAILED.has(outcome.kind) ? true : null;
}

const FAILED: ReadonlySet<RunOutcome['kind']> = new Set(['failed', 'exhausted', 'blocked']);
