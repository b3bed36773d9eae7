/** What the performer of an attempt is given for one turn. */
import type { AttemptInput, AttemptSettings } from '../attempts/attempt.ts';
import type { DecisionReason } from '../attempts/decision.ts';
import type { AgentProgramState } from './agent-state.ts';
import { commandCount } from './agent-state.ts';
import { continuePrompt, newMessagesPrompt, firstTurnPrompt } from './agent-prompts.ts';

/** With the model that it has by now. */
export function turnAgent({
  settings: { agent },
  model,
}: AgentProgramState): AttemptSettings['agent'] {
  return model === null ? agent : { ...agent, model };
}

export function turnInput(state: AgentProgramState): AttemptInput {
  const { settings, project, session, tree, setup } = state;
  const {
    chain: _,
    order: _order,
    fallbacks: _map,
    recovery: _policy,
    gates: _gates,
    setup: _setup,
    ...pinned
  } = settings;
  return {
    ...pinned,
    agent: turnAgent(state),
    prompt: firstTurnPrompt(state),
    project,
    number: commandCount(state, 'attempt') + 1,
    why: whyOf(state),
    resume: session,
    resumePrompt: session === null ? null : continuePrompt(state),
    tree,
    speaks: true,
    ...(setup.outcome?.kind === 'ready' ? { setupKey: setup.outcome.key } : {}),
  };
}

function whyOf(state: AgentProgramState): DecisionReason {
  const { lives: life, restarted, interrupted, item } = state;
  const turn = { kind: 'turn', life } as const;
  if (interrupted) return { ...turn, cause: 'interrupted' };
  if (restarted !== null) return { ...turn, cause: 'restarted' };
  if (commandCount(state, 'attempt') === 0) return { ...turn, cause: 'first' };
  if (item?.isNew === true) return { ...turn, cause: 'queue' };
  return { ...turn, cause: newMessagesPrompt(state) === null ? 'go-on' : 'told' };
}
