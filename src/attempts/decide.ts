/**
 * Decides what a run does next, as one pure function. Its decision depends only on the state of the run, the
 * time and one random number. The state contains the recovery policy and the last availability check.
 */
import { plural } from '../base/text.ts';
import { isAboutMoney } from '../failures/failure.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
import type { DecisionReason } from '../protocol/contracts/attempt-contract.ts';
import {
  isContinueAnswer,
  isPriceAnswer,
  readBudgetAnswer,
} from '../protocol/views/money-question.ts';
import {
  countFailures,
  crashes,
  isRuledOut,
  isSkipped,
  pastOfInstruction,
  retriesUsed,
} from './choice/agent-history.ts';
import { attemptsUsedUp, hasAttemptsLeft, isBreakerTripped, policyOf } from './attempts-left.ts';
import type { AttemptsState } from './attempts-state.ts';
import { allGatesPassed, chainEntries, isProven, lastAttempt } from './attempts-state.ts';
import { retryAfterClaimedLimit } from './choice/claimed-limit.ts';
import { askAboutGate } from './gates/ask-about-gate.ts';
import { askAboutBudget } from './budget-question.ts';
import type { AttemptDecision } from './decision.ts';
import { askOrEnd, endRun } from './decision.ts';
import { describeExhausted, describeRed, failRun } from './exhausted.ts';
import { continueConversation, promptOfNewConversation } from './choice/continued-conversation.ts';
import { heldUpMs } from './choice/limit-series.ts';
import { findCooldown } from './choice/find-cooldown.ts';
import { closingAgent, coolingAgent, reasonForChoice } from './choice/passed-over-agents.ts';
import { askForKeys, askForLogin, isKeyless } from './choice/keyless.ts';
import { messagesOf, messageToContinueWith } from './run-messages.ts';
import { isStuck, unchangedInARow } from './gates/no-progress.ts';
import type { FailedPastAttempt, PastAttempt } from './past-attempt.ts';
import { nthDelay, retryDelayMs } from './choice/presets.ts';
import { continueAfterRed } from './gates/red-gate-prompt.ts';
import { decideTakeover } from './taken-over.ts';
import { isSessionRejected } from './session-errors.ts';

const INTERRUPTED_PROMPT = renderProgramPrompt('attempts/interrupted');
const NO_PERSON_PROMPT = renderProgramPrompt('attempts/no_person');
const TOO_LONG_PROMPT = renderProgramPrompt('attempts/too_long');
const LENGTH_CONTINUATIONS_MAX = 2;

/** `random` is in [0, 1). */
export function decide(state: AttemptsState, now: number, random: number): AttemptDecision {
  return askForKeys(state, decideNext(state, now, random));
}

function decideNext(state: AttemptsState, now: number, random: number): AttemptDecision {
  const { interruptions, attempt: interrupted, settings } = state;
  const last = lastAttempt(state);
  const told = messageToContinueWith(state);
  if (told !== undefined && last !== undefined) {
    const { verb } = told;
    return startAttempt(state, last.agent, { kind: 'message', verb }, { session: last.session });
  }
  if (last?.kind === 'completed' && last.redGate === null && allGatesPassed(state)) {
    return endRun(isProven(state) ? 'succeeded' : 'unverified', last.summary);
  }
  if (interruptions > settings.interruptionsMax || (settings.once === true && interrupted !== null))
    return endRun(
      'exhausted',
      `the attempt was interrupted ${plural(interruptions, 'time')} because the owner ended`,
    );
  const taken = decideTakeover(state, (agent, why, session, message) =>
    why.kind === 'handed-back' && isSkipped(state, (interrupted ?? last)?.identity ?? '')
      ? switchAgent(state, agent, now)
      : startAttempt(state, agent, why, { session, message }),
  );
  if (taken !== undefined) return taken;
  const named = state.asked?.agent;
  if (named !== undefined) return startAttempt(state, named, { kind: 'named' });
  if (interrupted !== null) {
    const { agent, identity, session } = interrupted;
    if (isSkipped(state, identity)) return switchAgent(state, agent, now);
    return startAttempt(
      state,
      agent,
      { kind: 'interrupted' },
      { session, message: INTERRUPTED_PROMPT },
    );
  }
  if (last === undefined) return chooseAgent(state, { kind: 'first' }, now);
  switch (last.kind) {
    case 'completed':
      return afterRedGate(state, last, now);
    case 'stopped':
      if (isSkipped(state, last.identity)) return switchAgent(state, last.agent, now);
      if (messagesOf(state).stopped === last.number) return afterInterrupt(state, last);
      return endRun('cancelled', `attempt ${last.number} was stopped`);
    case 'failed':
      return afterFailure(state, last, now, random);
  }
}

/** A person stopped the turn and said nothing else, so they are asked what the agent is to do. */
function afterInterrupt(state: AttemptsState, last: PastAttempt): AttemptDecision {
  const { agent, session } = last;
  const mayAsk = state.settings.recovery.ask !== false;
  if (mayAsk && state.answer === null)
    return { kind: 'ask', question: `The turn of ${agent} was interrupted. What is it to do now?` };
  const message = state.answer ?? INTERRUPTED_PROMPT;
  return startAttempt(state, agent, { kind: 'answered' }, { session, message });
}

/** The caller has run all gates, up to the first one that was red. */
function afterRedGate(state: AttemptsState, last: PastAttempt, now: number): AttemptDecision {
  const { gateFixes } = policyOf(state);
  const { redGate: red, agent, identity } = last;
  if (red === null) throw new Error('a gate has no result yet');
  if (red.blocks === true) return endRun('blocked', describeRed(red));
  const asked = red.asks === true && !isSkipped(state, identity) && askAboutGate(state, red);
  if (asked !== undefined && asked !== false) return asked;
  const before = state.past.at(-2)?.redGate;
  const isSameAgain =
    red.kind === 'unable' && before?.kind === 'unable' && before.output === red.output;
  if (state.settings.once === true || isSameAgain) return endRun('failed', describeRed(red));
  const isRed = (one: PastAttempt): boolean => one.identity === identity && one.redGate !== null;
  const nth = pastOfInstruction(state).filter(isRed).length;
  if (isStuck(state, identity))
    return switchAgent(state, agent, now, unchangedInARow(state, identity));
  if (nth > gateFixes || isSkipped(state, identity)) return switchAgent(state, agent, now);
  const why: DecisionReason = { kind: 'gate', gate: red.name, nth, of: gateFixes };
  return startAttempt(state, agent, why, continueAfterRed(state, last, red));
}

function afterFailure(
  state: AttemptsState,
  last: FailedPastAttempt,
  now: number,
  random: number,
): AttemptDecision {
  const { agent, identity, failure } = last;
  const { breaker, fatalStops } = policyOf(state);
  if (state.settings.once === true) return failRun(agent, failure);
  if (failure.reason === 'blocked') return endRun('blocked', `${agent}: ${failure.message}`);
  if (isAboutMoney(failure.reason)) return afterBudget(state, last, now);
  if (isSkipped(state, identity)) return switchAgent(state, agent, now);
  if (failure.reason === 'keys_missing')
    return (
      askForLogin(state, failure.message) ??
      startAttempt(
        state,
        agent,
        { kind: 'answered' },
        { session: last.session, message: INTERRUPTED_PROMPT },
      )
    );
  // The failure is not about this agent, so another agent would fail the same way.
  if (failure.concerns === 'run') return failRun(agent, failure);
  if (failure.reason === 'needs_input') return afterQuestion(state, last);
  if (breaker !== null && isBreakerTripped(state, breaker, now)) {
    const { failuresMax, withinMs } = breaker;
    const tripped = `${plural(failuresMax, 'failure')} within ${withinMs / 1000} s: a person has to look into it`;
    return endRun('exhausted', `${tripped}; the last one of ${agent}: ${failure.message}`);
  }
  if (fatalStops && failure.type === 'fatal') return failRun(agent, failure);
  if (isSessionRejected(last, failure.reason))
    return startAttempt(
      state,
      agent,
      { kind: 'new-session' },
      { message: promptOfNewConversation(state, last.resumePrompt) },
    );
  if (failure.reason === 'output_limit') return afterLength(state, last, now);
  const claimed = retryAfterClaimedLimit(state, last, now);
  if (claimed !== undefined) return startAttempt(state, agent, claimed);
  return retrySameAgent(state, last, now, random) ?? switchAgent(state, agent, now);
}

/**
 * An answer that was cut for its length continues in the same conversation, at most twice. A new conversation
 * would only be cut again. So without a conversation, or after two continuations, the next agent takes over.
 */
function afterLength(state: AttemptsState, last: FailedPastAttempt, now: number): AttemptDecision {
  const { agent, identity, session } = last;
  const nth = countFailures(state, identity, ({ reason }) => reason === 'output_limit');
  if (session === null || nth > LENGTH_CONTINUATIONS_MAX) return switchAgent(state, agent, now);
  const why: DecisionReason = { kind: 'cut-short', nth, of: LENGTH_CONTINUATIONS_MAX };
  return startAttempt(state, agent, why, { session, message: TOO_LONG_PROMPT });
}

/** The same identity tries again, if the policy allows it. */
function retrySameAgent(
  state: AttemptsState,
  { agent, identity, failure, exit }: FailedPastAttempt,
  now: number,
  random: number,
): AttemptDecision | undefined {
  const policy = policyOf(state);
  const isCrash = failure.type === 'container_crash';
  if (isCrash && crashes(state) <= policy.crashRestarts)
    return startAttempt(state, agent, { kind: 'restart', exit });
  if (isCrash && !policy.crashRetries) return undefined;
  const of = policy.retriesPerAgent;
  const crashRetries = policy.crashRetries ? crashes(state, identity) : 0;
  const nth = retriesUsed(state, identity) + crashRetries;
  if (nth > of) return undefined;
  if (failure.coolsDown) {
    // The run has waited for another agent because of this limit. That wait was not the wait before a retry.
    if (policy.limitWaitsMs.length === 0 || state.hasCooled) return undefined;
    const waitMs = Math.max(nthDelay(policy.limitWaitsMs, nth), (failure.resetAt ?? now) - now);
    // If the limit lasts longer than the longest of these waits, another agent takes over.
    if (waitMs > Math.max(...policy.limitWaitsMs)) return undefined;
    if (!state.waited && heldUpMs(state) + waitMs > policy.waitMaxMs) return undefined;
    return startAttempt(state, agent, { kind: 'retry', nth, of, waitMs });
  }
  if (failure.concerns !== 'attempt') return undefined;
  const waitMs = retryDelayMs(policy.backoff, nth, random);
  return startAttempt(state, agent, { kind: 'retry', nth, of, waitMs });
}

/** `unchanged`: how many attempts of that agent changed no file, if that is why another one follows. */
function switchAgent(
  state: AttemptsState,
  from: string,
  now: number,
  unchanged?: number,
): AttemptDecision {
  const why = { kind: 'switch', from, ...(unchanged === undefined ? {} : { unchanged }) } as const;
  return chooseAgent(state, why, now);
}

/** Chooses the first agent of the chain that this run may still use, that has its keys and is not cooling down. */
function chooseAgent(state: AttemptsState, why: DecisionReason, now: number): AttemptDecision {
  const { availability, settings } = state;
  const { waitMaxMs, waitForReset } = policyOf(state);
  const chain = settings.once === true ? chainEntries(state).slice(0, 1) : chainEntries(state);
  const left = chain.filter((entry) => !isRuledOut(state, entry));
  if (left.length === 0) return describeExhausted(state, []);
  if (!hasAttemptsLeft(state)) return attemptsUsedUp(state);
  if (availability === null) return { kind: 'check-availability' };
  const candidates = left.map((entry) => ({
    agent: entry.id,
    entry,
    cooldown: findCooldown(state, entry, availability, now),
    lacksKey: isKeyless(state, entry.identity),
    closing:
      settings.ignoreCooldown === true
        ? undefined
        : availability.closing?.find(({ identity }) => identity === entry.identity),
  }));
  const waitLeftMs = waitMaxMs - heldUpMs(state);
  const cooling = candidates.flatMap(coolingAgent).toSorted((a, b) => a.until - b.until);
  // Otherwise agents that are limited in turn, each free again when the next one ends, would never end.
  if (waitLeftMs < 0 && !state.skipsCooldown) return describeExhausted(state, cooling);
  const free = candidates.filter(({ cooldown }) => cooldown === undefined);
  // An agent whose window would close in the middle of the work is used only if there is no other.
  const able = free.filter(({ lacksKey }) => !lacksKey);
  const available = able.find(({ closing }) => closing === undefined) ?? able[0];
  if (available !== undefined) {
    const before = candidates.slice(0, candidates.indexOf(available));
    const passedOver = before.flatMap((one) => [...coolingAgent(one), ...closingAgent(one)]);
    const reason = reasonForChoice(why, available.agent, passedOver);
    const continued =
      why.kind === 'first' ? continueConversation(state, available.entry) : undefined;
    return continued ?? startAttempt(state, available.agent, reason);
  }
  const [soonest] = cooling;
  if (state.skipsCooldown && soonest !== undefined)
    return startAttempt(state, soonest.agent, { kind: 'cooled-down' });
  const next = cooling.find(({ isKnown }) => isKnown);
  if (next === undefined || !waitForReset || next.until - now > waitLeftMs) {
    const [keyless] = free;
    if (keyless !== undefined) return startAttempt(state, keyless.agent, why);
    return describeExhausted(state, cooling);
  }
  return { kind: 'wait-for-cooldown', until: next.until, agent: next.agent };
}

function startAttempt(
  state: AttemptsState,
  agent: string,
  why: DecisionReason,
  { session = null, message = null }: { session?: string | null; message?: string | null } = {},
): AttemptDecision {
  const isFree = why.kind === 'message' || why.kind === 'takeover';
  if (!isFree && !hasAttemptsLeft(state)) return attemptsUsedUp(state);
  const waitMs = why.kind === 'retry' ? why.waitMs : 0;
  return { kind: 'attempt', agent, waitMs, why, session, message };
}

/** First the agent continues without a person. If it asks again, a person answers in the same conversation. */
function afterQuestion(state: AttemptsState, last: FailedPastAttempt): AttemptDecision {
  const { agent, identity, session, failure } = last;
  const questions = countFailures(state, identity, ({ reason }) => reason === failure.reason);
  if (questions === 1)
    return startAttempt(
      state,
      agent,
      { kind: 'unattended' },
      { session, message: NO_PERSON_PROMPT },
    );
  if (state.answer === null)
    return askOrEnd(state.settings, { question: `${agent} asks: ${failure.message}` });
  return startAttempt(state, agent, { kind: 'answered' }, { session, message: state.answer });
}

/** Only a person decides about money: no other agent, and never Supervisor itself. */
function afterBudget(state: AttemptsState, last: FailedPastAttempt, now: number): AttemptDecision {
  const { agent, identity, session, failure } = last;
  const answer = state.answer ?? '';
  const isPrice = failure.reason === 'price_unknown';
  if (readBudgetAnswer(answer) === 'stop') {
    const when = isPrice ? 'because a price is unknown' : 'when the budget was spent';
    return endRun('cancelled', `stopped ${when}: ${failure.message}`);
  }
  if (!(isPrice ? isPriceAnswer(answer) : isContinueAnswer(answer)))
    return askOrEnd(state.settings, askAboutBudget(failure), failure.message);
  if (isSkipped(state, identity)) return switchAgent(state, agent, now);
  const why: DecisionReason = { kind: 'answered' };
  return startAttempt(state, agent, why, { session, message: INTERRUPTED_PROMPT });
}
