/**
 * Decides what a run does next, as one pure function. Its decision depends only on the history, the policy,
 * the availability of the agents, the time and one random number.
 */
import { plural } from '../base/text.ts';
import { isContinueAnswer } from '../protocol/views/budget-view.ts';
import type { AttemptDecision } from './decision.ts';
import { endRun } from './decision.ts';
import type { FailedEnd, History, PastAttempt } from './attempt-records.ts';
import { isAboutMoney } from '../failures/failure.ts';
import { crashesOfAgent, failuresOfAgent, isFinishedWith, cooldownOf } from './attempt-records.ts';
import type { RecoveryPolicy } from './presets.ts';
import { retryDelayMs, nthDelay } from './presets.ts';
import { describeExhausted, failRun } from './exhausted.ts';
import { isSessionRejected } from './session-errors.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
import type { DecisionReason } from '../protocol/attempt-contract.ts';
import type { Availability } from '../protocol/commands.ts';

const INTERRUPTED_PROMPT = renderProgramPrompt('attempts/interrupted');
const NO_PERSON_PROMPT = renderProgramPrompt('attempts/no_person');
const TOO_LONG_PROMPT = renderProgramPrompt('attempts/too_long');
const LENGTH_CONTINUATIONS_MAX = 2;

type Question = {
  readonly history: History;
  readonly policy: RecoveryPolicy;
  /** Null: availability was not checked since the last attempt. */
  readonly survey: Availability | null;
  readonly now: number;
  /** In [0, 1). */
  readonly random: number;
};

export function decide(question: Question): AttemptDecision {
  const { history } = question;
  const { lost, lostMax, lostAttempt, past, passed, once } = history;
  const last = lostAttempt === null ? past.at(-1) : undefined;
  if (last?.end.kind === 'completed' && last.red === null && history.green === history.gates)
    return endRun(history.proofs > 0 ? 'succeeded' : 'unverified', last.end.summary);
  if (lost > lostMax || (once && lostAttempt !== null))
    return endRun(
      'exhausted',
      `the attempt was interrupted ${plural(lost, 'time')} because the owner process died`,
    );
  if (lostAttempt !== null) {
    const { agent, identity, session } = lostAttempt;
    if (passed.includes(identity)) return choose(question, { kind: 'switch', from: agent });
    return begin(question, agent, { kind: 'lost' }, { session, say: INTERRUPTED_PROMPT });
  }
  if (last === undefined) return choose(question, { kind: 'first' });
  switch (last.end.kind) {
    case 'completed':
      return afterRed(question, last);
    case 'stopped':
      if (passed.includes(last.identity)) return another(question, last);
      return endRun('cancelled', `attempt ${last.number} was stopped`);
    case 'failed':
      return afterFailure(question, last, last.end);
  }
}

/** The caller has run all gates, up to the first one that was red. */
function afterRed(question: Question, last: PastAttempt): AttemptDecision {
  const { history, policy } = question;
  const { red, agent, identity } = last;
  if (red === null) throw new Error('a gate has no result yet');
  if (red.blocks === true) return endRun('blocked', `gate ${red.name}: ${red.words}`);
  const before = history.past.at(-2)?.red;
  const isHopeless =
    red.kind === 'unable' && before?.kind === 'unable' && before.words === red.words;
  if (history.once || isHopeless) return endRun('failed', `gate ${red.name}: ${red.words}`);
  const nth = history.past.filter((one) => one.identity === identity && one.red !== null).length;
  if (nth > policy.gateFixes || history.passed.includes(identity)) return another(question, last);
  const why: DecisionReason = { kind: 'gate', gate: red.name, nth, of: policy.gateFixes };
  return begin(question, agent, why, {});
}

function afterFailure(question: Question, last: PastAttempt, end: FailedEnd): AttemptDecision {
  const { history, policy } = question;
  const { identity, agent } = last;
  if (history.once) return failRun(last.agent, end);
  if (end.reason === 'blocked') return endRun('blocked', `${agent}: ${end.message}`);
  if (isAboutMoney(end.reason)) return afterBudget(question, last, end);
  if (history.passed.includes(identity)) return another(question, last);
  // The failure is not about this agent, so another agent would fail the same way.
  if (end.concerns === 'run') return failRun(agent, end);
  if (end.reason === 'needs_input') return afterQuestion(question, last, end);
  if (isTripped(question)) {
    const { failuresMax, withinMs } = policy.breaker ?? { failuresMax: 0, withinMs: 0 };
    const words = `${plural(failuresMax, 'failure')} within ${withinMs / 1000} s: a person has to look into it`;
    return endRun('exhausted', `${words}; the last one of ${agent}: ${end.message}`);
  }
  if (policy.fatalStops && end.type === 'fatal') return failRun(agent, end);
  if (isSessionRejected(last, end.reason))
    return begin(question, agent, { kind: 'afresh' }, { say: last.said ?? null });
  if (end.reason === 'output_limit') return afterLength(question, last);
  return again(question, last, end) ?? another(question, last);
}

/**
 * An answer that was cut for its length continues in the same conversation, at most twice. A new conversation
 * would only be cut again. So without a conversation, or after two continuations, the next agent takes over.
 */
function afterLength(question: Question, last: PastAttempt): AttemptDecision {
  const { agent, identity, session } = last;
  const nth = question.history.past.filter(
    (one) =>
      one.identity === identity && one.end.kind === 'failed' && one.end.reason === 'output_limit',
  ).length;
  if (session === null || nth > LENGTH_CONTINUATIONS_MAX) return another(question, last);
  const why: DecisionReason = { kind: 'cut-short', nth, of: LENGTH_CONTINUATIONS_MAX };
  return begin(question, agent, why, { session, say: TOO_LONG_PROMPT });
}

/** The same identity tries again, if the policy allows it. */
function again(question: Question, last: PastAttempt, end: FailedEnd): AttemptDecision | undefined {
  const { history, policy, random, now } = question;
  const { agent, identity } = last;
  const isCrash = end.type === 'container_crash';
  if (isCrash && crashesOfAgent(history) <= policy.crashRestarts)
    return begin(question, agent, { kind: 'restart', exit: end.exit }, {});
  if (isCrash && !policy.crashRetries) return undefined;
  const of = policy.retriesPerAgent;
  const counted = policy.crashRetries ? crashesOfAgent(history, identity) : 0;
  const nth = failuresOfAgent(history, identity).length + counted;
  if (nth > of) return undefined;
  if (end.coolsDown) {
    // The run has waited for another agent because of this limit. That wait was not the wait before a retry.
    if (policy.limitWaitsMs.length === 0 || history.restingSince !== null) return undefined;
    const waitMs = Math.max(nthDelay(policy.limitWaitsMs, nth), (end.resetAt ?? now) - now);
    // If the limit lasts longer than the longest of these waits, another agent takes over.
    if (waitMs > Math.max(...policy.limitWaitsMs)) return undefined;
    return begin(question, agent, { kind: 'retry', nth, of, waitMs }, {});
  }
  if (end.concerns !== 'attempt') return undefined;
  const waitMs = retryDelayMs(policy.backoff, nth, random);
  return begin(question, agent, { kind: 'retry', nth, of, waitMs }, {});
}

function another(question: Question, last: PastAttempt): AttemptDecision {
  return choose(question, { kind: 'switch', from: last.agent });
}

/** Chooses the first agent of the chain that this run may still use and that is not cooling down. */
function choose(question: Question, why: DecisionReason): AttemptDecision {
  const { history, policy, survey, now } = question;
  const left = history.chain.filter((entry) => !isFinishedWith(history, entry));
  if (left.length === 0) return describeExhausted(history, []);
  if (history.begun >= policy.attemptsMax) return tooMany(question);
  if (survey === null) return { kind: 'check-availability' };
  const resting = left.map((entry) => ({
    entry,
    rest: cooldownOf(history, entry, policy, survey, now),
  }));
  const isFree = resting.find(({ rest }) => rest === undefined);
  if (isFree !== undefined)
    return begin(question, isFree.entry.id, switchOrRested(why, isFree.entry.id), {});
  const known = resting
    .flatMap(({ entry, rest }) => (rest === undefined ? [] : [{ ...rest, agent: entry.id }]))
    .toSorted((a, b) => a.until - b.until);
  const [soonest] = known;
  if (history.bypass && soonest !== undefined)
    return begin(question, soonest.agent, { kind: 'rested' }, {});
  const next = known.find(({ isKnown }) => isKnown);
  const bound = (history.restingSince ?? now) + policy.waitMaxMs;
  if (next === undefined || !policy.waitForReset || next.until > bound)
    return describeExhausted(history, known);
  return { kind: 'rest', until: next.until, agent: next.agent };
}

/** If the same agent continues after its cooldown, that is not a switch. */
function switchOrRested(why: DecisionReason, agent: string): DecisionReason {
  return why.kind === 'switch' && why.from === agent ? { kind: 'rested' } : why;
}

function begin(
  question: Question,
  agent: string,
  why: DecisionReason,
  { session = null, say = null }: { session?: string | null; say?: string | null },
): AttemptDecision {
  const { history, policy } = question;
  if (history.begun >= policy.attemptsMax) return tooMany(question);
  const waitMs = why.kind === 'retry' ? why.waitMs : 0;
  return { kind: 'attempt', agent, waitMs, why, session, say };
}

function tooMany({ history, policy }: Question): AttemptDecision {
  const last = history.past.at(-1);
  const words = last?.end.kind === 'failed' ? `; the last: ${last.end.message}` : '';
  const red = last?.red === null || last?.red === undefined ? '' : `; gate ${last.red.name} is red`;
  const { attemptsMax } = policy;
  const all = attemptsMax === 1 ? 'the only attempt is' : `all ${attemptsMax} attempts are`;
  return endRun('exhausted', `${all} used up${words}${red}`);
}

/** First the agent continues without a person. If it asks again, a person answers in the same conversation. */
function afterQuestion(question: Question, last: PastAttempt, end: FailedEnd): AttemptDecision {
  const { history } = question;
  const { agent, identity, session } = last;
  const asked = history.past.filter(
    (one) =>
      one.identity === identity && one.end.kind === 'failed' && one.end.reason === end.reason,
  ).length;
  if (asked === 1)
    return begin(question, agent, { kind: 'nobody' }, { session, say: NO_PERSON_PROMPT });
  if (history.answer === null) return { kind: 'ask', question: `${agent} asks: ${end.message}` };
  return begin(question, agent, { kind: 'answered' }, { session, say: history.answer });
}

/** Only a person decides about money: no other agent, and never Supervisor itself. */
function afterBudget(question: Question, last: PastAttempt, end: FailedEnd): AttemptDecision {
  const { answer } = question.history;
  const { agent, session } = last;
  if (isNo(answer ?? ''))
    return endRun('cancelled', `stopped when the budget was spent: ${end.message}`);
  if (isContinueAnswer(answer ?? '') && question.history.passed.includes(last.identity))
    return another(question, last);
  if (isContinueAnswer(answer ?? ''))
    return begin(question, agent, { kind: 'answered' }, { session, say: INTERRUPTED_PROMPT });
  return { kind: 'ask', question: askAboutBudget(end), choices: ['continue', 'stop'] };
}

export function askAboutBudget({ reason, message }: Pick<FailedEnd, 'reason' | 'message'>): string {
  return reason === 'price_unknown'
    ? `${message}. Answer continue to use it without counting its cost, or stop.`
    : `${message}. Answer continue or stop.`;
}

function isNo(answer: string): boolean {
  return ['stop', 'no', 'n'].includes(answer.trim().toLowerCase());
}

function isTripped({ history, policy: { breaker }, now }: Question): boolean {
  if (breaker === null) return false;
  const recent = history.past.filter(
    ({ end, endedAt }) => end.kind === 'failed' && now - endedAt < breaker.withinMs,
  );
  return recent.length >= breaker.failuresMax;
}
