/** The conversation of an earlier step, which the first attempt of a run continues. */
import type { AttemptsState, ChainEntry } from '../attempts-state.ts';
import type { AttemptDecision } from '../decision.ts';

/** Undefined: the run has none, or another agent begins, which cannot continue it. */
export function continueConversation(
  { settings: { continues } }: Pick<AttemptsState, 'settings'>,
  { id, identity }: ChainEntry,
): AttemptDecision | undefined {
  if (continues?.agent !== id || continues.identity !== identity) return undefined;
  const { run, session, prompt } = continues;
  const why = { kind: 'continued', run } as const;
  return { kind: 'attempt', agent: id, waitMs: 0, why, session, message: prompt };
}

/**
 * A conversation that could not be continued begins again with the prompt of that attempt. The prompt of a continued
 * step is only for its conversation: the brief of the step says the same.
 */
export function promptOfNewConversation(
  { settings }: Pick<AttemptsState, 'settings'>,
  resumePrompt: string | null,
): string | null {
  const { continues } = settings;
  return continues !== undefined && resumePrompt === continues.prompt ? null : resumePrompt;
}
