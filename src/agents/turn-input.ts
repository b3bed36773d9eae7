/** The input of the attempt performer for one turn. */
import type { AgentProgramState } from './agent-state.ts';
import { commandCount } from './agent-state.ts';
import { continuePrompt, newMessagesPrompt, firstTurnPrompt } from './agent-prompts.ts';
import type { AttemptInput, DecisionReason } from '../protocol/contracts/attempt-contract.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';

/** The configured agent with its current model. */
export function turnAgent({ pinned, turn }: AgentProgramState): AttemptSettings['agent'] {
  const { agent } = pinned.attempt;
  return turn.model === null ? agent : { ...agent, model: turn.model };
}

export function turnInput(state: AgentProgramState): AttemptInput {
  const { pinned, setup } = state;
  const { session, tree } = state.turn;
  const {
    chain: _,
    order: _order,
    fallbacks: _map,
    recovery: _policy,
    gates: _gates,
    setup: _setup,
    ...settings
  } = pinned.attempt;
  return {
    ...settings,
    agent: turnAgent(state),
    prompt: firstTurnPrompt(state),
    project: pinned.project,
    number: commandCount(state, 'attempt') + 1,
    why: turnReason(state),
    resume: session,
    resumePrompt: session === null ? null : continuePrompt(state),
    tree,
    member: pinned.agent.name,
    readsNotes: true,
    ...(setup.outcome?.kind === 'ready' ? { setupKey: setup.outcome.key } : {}),
  };
}

function turnReason(state: AgentProgramState): DecisionReason {
  const { restartNotice, interrupted } = state.turn;
  const turn = { kind: 'turn', life: state.lives } as const;
  if (interrupted) return { ...turn, cause: 'interrupted' };
  if (restartNotice !== null) return { ...turn, cause: 'restarted' };
  if (commandCount(state, 'attempt') === 0) return { ...turn, cause: 'first' };
  if (state.work.item?.isNew === true) return { ...turn, cause: 'queue' };
  return { ...turn, cause: newMessagesPrompt(state) === null ? 'continue' : 'message' };
}
