/** What follows work that is done: the end, the next file of the queue, or nothing until a message arrives. */
import { raiseIssue } from './escalate.ts';
import type { AgentProgramState } from './agent-state.ts';
import { isAgentAlive, update } from './agent-state.ts';
import { withoutOwnCommitments } from './own-commitments.ts';
import { closeAgent, startWork } from './transitions.ts';
import type { CommandEnd, ClaimItemResult } from '../protocol/commands.ts';

/** In characters; the performer has its own bound. */
const ITEM_MAX = 100_000;

/** All checks of a round passed, or there was nothing to check. */
export function afterDone(
  state: AgentProgramState,
  verdict: 'succeeded' | 'unverified',
): AgentProgramState {
  return continueAfterDone(update(state, { work: { verdict }, streaks: { redRounds: 0 } }));
}

/** The claimed file is put away first. Then messages come before the end. */
function continueAfterDone(state: AgentProgramState): AgentProgramState {
  const { item, verdict } = state.work;
  const { onDone, queue } = state.pinned.agent;
  if (item !== null) return update(state, { phase: { kind: 'done', step: 'release-item' } });
  if (state.mailbox.inbox.length > 0) return startWork(state, null);
  switch (onDone) {
    case 'dismiss':
      return closeAgent(
        state,
        { kind: verdict ?? 'unverified', reason: state.turn.summary ?? 'done' },
        'completed',
      );
    case 'wait':
      return update(state, { phase: { kind: 'done', step: 'idle' } });
    case 'next':
      return update(state, {
        phase: { kind: 'done', step: queue === null ? 'idle' : 'claim-item' },
      });
  }
}

/** A file that could not be put away stays in the folder of claimed files, where a person can see it. */
export function afterRelease(
  state: AgentProgramState,
  end: CommandEnd<'release-item'>,
): AgentProgramState {
  const interruptions = state.streaks.interruptions + 1;
  if (end.kind === 'interrupted' && interruptions <= state.pinned.attempt.interruptionsMax)
    return update(state, { streaks: { interruptions } });
  const next = update(state, {
    work: { item: null, hasUnseen: false },
    streaks: { interruptions: 0 },
  });
  // If a trigger ended the life meanwhile, something else comes next.
  const continues = isAgentAlive(state) && state.phase.kind === 'done';
  return continues ? continueAfterDone(next) : next;
}

/** If a claim was interrupted, the next one finds the file that was claimed. */
export function foldClaimedItem(
  state: AgentProgramState,
  end: CommandEnd<'claim-item'>,
): AgentProgramState {
  if (end.kind === 'interrupted') return update(state, { work: { hasUnseen: true } });
  if (end.kind === 'defect' || end.result.kind === 'refused') return state;
  const known = update(state, { work: { hasUnseen: false } });
  if (end.result.kind !== 'claimed') return known;
  const { name, text } = end.result;
  return startItem(known, name, text.slice(0, ITEM_MAX));
}

export function afterClaim(
  state: AgentProgramState,
  end: CommandEnd<'claim-item'>,
): AgentProgramState {
  const taken = foldClaimedItem(state, end);
  if (taken.work.item !== state.work.item || end.kind === 'interrupted') return taken;
  return afterNoItem(taken, end);
}

function afterNoItem(
  state: AgentProgramState,
  end: Exclude<CommandEnd<'claim-item'>, { kind: 'interrupted' }>,
): AgentProgramState {
  const result: ClaimItemResult =
    end.kind === 'done' ? end.result : { kind: 'refused', why: end.message };
  if (state.mailbox.inbox.length > 0) return startWork(state, null);
  if (result.kind === 'empty') return afterEmptyQueue(state);
  if (result.kind !== 'refused') return state;
  const what = `can't read its queue: ${result.why}`;
  const asked = raiseIssue(state, { kind: 'queue', what, choices: ['continue', 'dismiss'] });
  return update(asked, { phase: { kind: 'done', step: 'idle' } });
}

/** The pinned commitments have to hold for each file again. */
function startItem(state: AgentProgramState, name: string, text: string): AgentProgramState {
  const item = { name, text, isNew: true };
  if (!isAgentAlive(state)) return update(state, { work: { item } }); // to be given back
  const commitments = withoutOwnCommitments(state.work.commitments).map(
    (one) => ({ ...one, status: 'pending', failure: null }) as const,
  );
  const work = { item, commitments, verdict: null };
  return startWork(update(state, { work, streaks: { redRounds: 0 } }), null);
}

/** With `onEmpty: idle` the command itself waits for a file, so it never ends as empty. */
function afterEmptyQueue(state: AgentProgramState): AgentProgramState {
  if (state.pinned.agent.queue?.onEmpty !== 'terminate')
    return update(state, { phase: { kind: 'done', step: 'idle' } });
  const kind = state.work.verdict ?? 'unverified';
  return closeAgent(state, { kind, reason: 'its queue is empty' }, 'completed');
}
