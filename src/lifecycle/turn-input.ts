/** What the performer of an attempt is given for one turn. */
import type { AttemptInput, AttemptSettings } from '../attempts/attempt.ts';
import type { Why } from '../attempts/decision.ts';
import type { LifeState } from './life-state.ts';
import { countOf } from './life-state.ts';
import { goingOn, newsOf, wholePrompt } from './words.ts';

/** With the model that it has by now. */
export function turnAgent({ settings: { agent }, model }: LifeState): AttemptSettings['agent'] {
  return model === null ? agent : { ...agent, model };
}

export function turnInput(state: LifeState): AttemptInput {
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
    prompt: wholePrompt(state),
    project,
    number: countOf(state, 'attempt') + 1,
    why: whyOf(state),
    resume: session,
    resumePrompt: session === null ? null : goingOn(state),
    tree,
    speaks: true,
    ...(setup.outcome?.kind === 'ready' ? { setupKey: setup.outcome.key } : {}),
  };
}

function whyOf(state: LifeState): Why {
  const { lives: life, restarted, interrupted, item } = state;
  const turn = { kind: 'turn', life } as const;
  if (interrupted) return { ...turn, cause: 'interrupted' };
  if (restarted !== null) return { ...turn, cause: 'restarted' };
  if (countOf(state, 'attempt') === 0) return { ...turn, cause: 'first' };
  if (item?.isNew === true) return { ...turn, cause: 'queue' };
  return { ...turn, cause: newsOf(state) === null ? 'go-on' : 'told' };
}
