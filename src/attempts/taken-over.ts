/** How a person takes the agent of a run over, and what follows when they hand it back. */
import { asSentence } from '../base/text.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
import type { CommandBegun } from '../protocol/commands.ts';
import type { Signal } from '../protocol/signal.ts';
import type { AttemptsState, OpenAttemptCommand } from './attempts-state.ts';
import { chainEntries, lastAttempt } from './attempts-state.ts';
import type { AttemptDecision } from './decision.ts';
import { endRun } from './decision.ts';
import type { PastAttempt } from './past-attempt.ts';
import type { TakeoverState } from './takeover-state.ts';
import { NO_TAKEOVER } from './takeover-state.ts';

const HAND_BACK_CHOICES = ['continue', 'gates', 'stop'] as const;
/** No work to judge: that of an attempt that died with its owner is not stored yet, and one that did not start has none. */
const UNJUDGED_CHOICES = ['continue', 'stop'] as const;

const HANDED_BACK_PROMPT = renderProgramPrompt('attempts/handed_back');
const BY_PERSON = 'a person worked on it and handed it to the gates';

export function takeoverOf({
  takeover = NO_TAKEOVER,
}: Pick<AttemptsState, 'takeover'>): TakeoverState {
  return takeover;
}

/** A person who resumes a run takes it over again if they want to. */
export function takeoverAfterResume({ takeover }: Pick<AttemptsState, 'takeover'>): {
  readonly takeover?: TakeoverState;
} {
  return takeover === undefined
    ? {}
    : { takeover: { ...NO_TAKEOVER, attempts: takeover.attempts } };
}

export function takeoverAsked(
  state: AttemptsState,
  { shell }: Extract<Signal, { kind: 'takeover' }>,
): Partial<AttemptsState> {
  const before = takeoverOf(state);
  const isTaken = state.open?.command === 'attempt' && before.attempt === state.lastNumber;
  if (isTaken || before.wanted !== null) return {};
  return { takeover: { ...before, wanted: shell === true ? 'shell' : 'agent' } };
}

export function takeoverBegun(
  state: AttemptsState,
  { why }: Extract<CommandBegun, { command: 'attempt' }>['input'],
): Partial<AttemptsState> {
  const before = takeoverOf(state);
  if (why.kind !== 'takeover')
    return before === NO_TAKEOVER
      ? {}
      : { takeover: { ...NO_TAKEOVER, attempts: before.attempts } };
  const attempt = state.highestNumber + 1;
  return { takeover: { ...NO_TAKEOVER, attempt, attempts: before.attempts + 1 } };
}

/** Undefined: the question was not about a takeover. */
export function afterHandBack(
  state: AttemptsState,
  answer: string | null,
): Partial<AttemptsState> | undefined {
  const before = takeoverOf(state);
  if (!waitsForDecision(before) || answer === null) return undefined;
  if (answer === 'continue') return { takeover: { ...before, continues: true } };
  if (answer !== 'gates') return { takeover: { ...before, stops: true } };
  const past = state.past.map((one): PastAttempt =>
    one.number === before.attempt
      ? { ...one, kind: 'completed', summary: BY_PERSON, failure: null }
      : one,
  );
  return { past, takeover: { ...NO_TAKEOVER, attempts: before.attempts } };
}

/** A person has the agent, or has not said what follows. A message waits until then, also an interrupt. */
export function isTakenOver(state: AttemptsState): boolean {
  return takeoverOf(state).attempt !== null;
}

/** A person wants the agent, or has not said what follows: nothing else begins. */
export function isHeldByPerson(state: AttemptsState): boolean {
  return takeoverOf(state).wanted !== null || isTakenOver(state);
}

/** Whether the open command has to end for the takeover. A gate runs to its end, and a missing key stays missing. */
export function endsForTakeover(
  state: AttemptsState,
  { command, about }: OpenAttemptCommand,
): boolean {
  if (takeoverOf(state).wanted === null || about === 'keys') return false;
  return command === 'attempt' || command === 'wait' || command === 'ask';
}

/** What a takeover calls for. `continueWith` starts an attempt of the same agent in its conversation. */
export function decideTakeover(
  state: AttemptsState,
  start: (
    agent: string,
    why: Extract<AttemptDecision, { kind: 'attempt' }>['why'],
    session: string | null,
    message: string | null,
  ) => AttemptDecision,
): AttemptDecision | undefined {
  const takeover = takeoverOf(state);
  const last = state.attempt ?? lastAttempt(state);
  const session = last?.session ?? null;
  if (takeover.wanted !== null) {
    const shell = takeover.wanted === 'shell' ? ({ shell: true } as const) : {};
    const agent = state.asked?.agent ?? last?.agent ?? firstAgent(state);
    return start(agent, { kind: 'takeover', ...shell }, session, null);
  }
  if (takeover.attempt === null || last === undefined) return undefined;
  if (takeover.stops)
    return endRun('cancelled', `stopped by the user after a takeover, attempt ${last.number}`);
  if (takeover.continues)
    return start(last.agent, { kind: 'handed-back' }, session, HANDED_BACK_PROMPT);
  if (state.attempt !== null)
    return {
      kind: 'ask',
      question: `The owner died while you had ${last.agent} in your terminal. The files are kept. What follows?`,
      choices: UNJUDGED_CHOICES,
    };
  const failure = lastAttempt(state)?.failure ?? null;
  if (failure !== null)
    return {
      kind: 'ask',
      question: `${last.agent} did not start in your terminal: ${asSentence(failure.message)} What follows?`,
      choices: UNJUDGED_CHOICES,
    };
  const question = `You have had ${last.agent} in your terminal. What follows?`;
  return { kind: 'ask', question, choices: HAND_BACK_CHOICES };
}

function waitsForDecision({ attempt, continues, stops, wanted }: TakeoverState): boolean {
  return attempt !== null && wanted === null && !continues && !stops;
}

function firstAgent(state: AttemptsState): string {
  return chainEntries(state)[0]?.id ?? state.settings.agent.id;
}
