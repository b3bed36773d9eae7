/** What follows work that is done: the end, the next item of the queue, or nothing until somebody writes. */
import type { CommandEnd } from '../protocol/event.ts';
import { raiseIssue } from './escalate.ts';
import type { AgentStateChange, AgentProgramState } from './agent-state.ts';
import { isAgentAlive } from './agent-state.ts';
import { withoutOwnCommitments } from './own-commitments.ts';
import { enterState, closeAgent, startWork } from './transitions.ts';

/** In characters; the performer has a bound of its own. */
const ITEM_MAX = 100_000;

/** A round of checks has come out well, or there was nothing to check. */
export function afterDone(
  state: AgentProgramState,
  verdict: 'succeeded' | 'unverified',
): AgentStateChange {
  const done: AgentStateChange = { ...enterState(state, 'done'), verdict, redRounds: 0 };
  return { ...done, ...whatNext({ ...state, ...done }) };
}

/** What was taken is put away first; then who wrote meanwhile is heard. */
function whatNext(state: AgentProgramState): AgentStateChange {
  const { item, inbox, life, summary, verdict } = state;
  if (item !== null) return { phase: { kind: 'done', step: 'put' } };
  if (inbox.length > 0) return startWork(state, null);
  switch (life.onDone) {
    case 'dismiss':
      return closeAgent(
        state,
        { kind: verdict ?? 'unverified', reason: summary ?? 'done' },
        'done',
      );
    case 'wait':
      return { phase: { kind: 'done', step: 'stand' } };
    case 'next':
      return { phase: { kind: 'done', step: life.queue === null ? 'stand' : 'take' } };
  }
}

/** What could not be put away stays with the taken ones, where somebody can see it. */
export function afterPut(state: AgentProgramState, end: CommandEnd): AgentStateChange {
  const lost = state.lost + 1;
  if (end.kind === 'lost' && lost <= state.settings.lostMax) return { lost };
  const now = { item: null, hasUnseen: false, lost: 0 };
  // A life that was cut meanwhile has something else to do next.
  const goesOn = isAgentAlive(state) && state.phase.kind === 'done';
  return { ...now, ...(goesOn ? whatNext({ ...state, ...now }) : {}) };
}

/** Whoever looks again finds what it took and never heard of. */
export function foldTakenItem(state: AgentProgramState, end: CommandEnd): AgentStateChange {
  if (end.kind === 'lost') return { hasUnseen: true };
  const { kind, name, text } = end.kind === 'done' ? end.result : {};
  if (kind === 'empty' || kind === 'called-off') return { hasUnseen: false };
  if (kind !== 'taken' || typeof name !== 'string' || typeof text !== 'string') return {};
  return { ...begins(state, name, text.slice(0, ITEM_MAX)), hasUnseen: false };
}

export function afterTake(state: AgentProgramState, end: CommandEnd): AgentStateChange {
  const taken = foldTakenItem(state, end);
  if (taken.item !== undefined || end.kind === 'lost') return taken;
  return { ...taken, ...withoutItem(state, end) };
}

function withoutItem(
  state: AgentProgramState,
  end: Exclude<CommandEnd, { kind: 'lost' }>,
): AgentStateChange {
  const result = end.kind === 'done' ? end.result : { kind: 'refused', why: end.message };
  const { kind, why } = result;
  if (state.inbox.length > 0) return startWork(state, null);
  if (kind === 'empty') return whenEmpty(state);
  if (kind === 'called-off') return {};
  const what = `can't read its queue: ${typeof why === 'string' ? why : 'nobody can tell why'}`;
  const asked = raiseIssue(state, { kind: 'queue', what, choices: ['continue', 'dismiss'] });
  return { ...asked, phase: { kind: 'done', step: 'stand' } };
}

/** Another piece of work: what was promised has to hold for it as well. */
function begins(state: AgentProgramState, name: string, text: string): AgentStateChange {
  const item = { name, text, isNew: true };
  if (!isAgentAlive(state)) return { item }; // to be given back
  const commitments = withoutOwnCommitments(state.commitments).map(
    (one) => ({ ...one, status: 'pending', failure: null }) as const,
  );
  return {
    ...startWork(state, null),
    item,
    commitments,
    verdict: null,
    redRounds: 0,
  };
}

/** An idle one looks again itself, so it never hears that there is nothing. */
function whenEmpty(state: AgentProgramState): AgentStateChange {
  if (state.life.queue?.onEmpty !== 'terminate') return { phase: { kind: 'done', step: 'stand' } };
  const kind = state.verdict ?? 'unverified';
  return closeAgent(state, { kind, reason: 'its queue is empty' }, 'done');
}
