/** The state of a run that a person resumes: what it keeps, and what they have changed. */
import type { AttemptsState } from './attempts-state.ts';
import { takeoverAfterResume } from './taken-over.ts';
import { forgetKnownRed } from './gates/known-red.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import type { AttemptsSubmission } from '../protocol/run-submission.ts';
import { continueMessages } from '../protocol/views/message-view.ts';

/** The resumed run has a submission of its own: its task, its limits and its agents hold from now on. */
export function continueAs<State extends AttemptsState>(
  state: State,
  { task, settings, resumed = {} }: AttemptsSubmission,
  /** The number of the last attempt of that run, which may be after the fact from which this one continues. */
  lastAttempt = 0,
): State {
  const before = state.settings;
  // An attempt that did not begin has not told its agent the message of an earlier resume.
  const message = resumed.message ?? state.asked?.message;
  const highestNumber = Math.max(state.highestNumber, lastAttempt);
  const asked = { ...resumed, ...(message === undefined ? {} : { message }) };
  return {
    ...forgetSessions(forgetKnownRed(state)),
    resumedAfter: state.past.length,
    limitWaitMs: 0,
    task,
    // So that no two attempts of the task have the same number.
    highestNumber,
    // A new instruction gets the usual tries. Budgets and the number of all attempts stay.
    ...(resumed.message === undefined ? {} : { instructedAfter: highestNumber }),
    // A person who resumes a run is there to answer its questions.
    settings: { ...settings, recovery: { ...settings.recovery, ask: true } },
    order: sameChain(before, settings) ? state.order : null,
    asked: Object.keys(asked).length === 0 ? null : asked,
    answer: isBudgetRaised(state, settings) ? 'continue' : state.answer,
    ...(state.messages === undefined ? {} : { messages: continueMessages(state.messages) }),
    ...takeoverAfterResume(state),
    // The shell of the command may have given the keys.
    keyless: [],
    keysRefused: false,
  };
}

/**
 * An agent keeps its conversations in the home that it has in one run. The resumed run has another home, so the agent
 * would find no conversation there.
 */
function forgetSessions<State extends AttemptsState>(state: State): State {
  const { past, attempt } = state;
  return {
    ...state,
    past: past.map((one) => ({ ...one, session: null })),
    attempt: attempt === null ? null : { ...attempt, session: null },
  };
}

/** A person who gives a run a new budget has answered its question about the old one. */
function isBudgetRaised({ past, settings }: AttemptsState, { budget }: AttemptSettings): boolean {
  if (past.at(-1)?.failure?.reason !== 'budget') return false;
  const { usd, tokens } = settings.budget.run;
  return usd !== budget.run.usd || tokens !== budget.run.tokens;
}

function sameChain(before: AttemptSettings, after: AttemptSettings): boolean {
  const [one, other] = [before, after].map(({ agent, chain = [agent] }) =>
    chain.map(({ id }) => id).join(' '),
  );
  return one === other;
}

/** `message`: what a person said when they resumed the run. */
export function withMessage(text: string | null, message: string | undefined): string | null {
  if (message === undefined) return text;
  return text === null ? message : `${text}\n\n${message}`;
}
