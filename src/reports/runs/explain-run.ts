/**
 * Why a run is in its state: the shortest chain of causes with the evidence of each, and what to do
 * next.
 */
import { z } from 'zod';
import { AppliedView } from '../../protocol/views/applied-view.ts';
import type { RunStatus } from '../../protocol/views/run-status.ts';
import { RUN_STATES } from '../../protocol/views/run-status.ts';
import type { AttemptHistory } from './attempt-history.ts';
import { attemptLinks } from './attempt-links.ts';
import { describeBaseline } from '../../protocol/words/baseline-words.ts';
import { isClaim } from '../../protocol/words/claimed-outcome.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { describeOutcome } from '../../protocol/words/outcome-words.ts';
import type { ChildRecord } from './child-record.ts';
import { childNames } from './child-record.ts';
import type { BaselineRecord } from './baseline-record.ts';
import { dollars } from '../cost-words.ts';
import { withoutAdvice } from '../../protocol/views/answer-advice.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { describePart } from '../../protocol/views/question-words.ts';
import { adviceFor } from '../advice.ts';
import type { Downtime } from './downtimes.ts';
import { describeDowntime, wasActive } from './downtimes.ts';
import { describeMessage } from '../describe-signal.ts';
import { describeMessageState } from '../message-words.ts';
import type { OwnerEnd } from './owner-ends.ts';
import type { MessageView } from '../../protocol/views/message-view.ts';
import type { QuestionRecord } from './question-record.ts';
import { describeAnswer } from './question-record.ts';
import type { RunHistory } from './run-history.ts';
import type { WaitRecord } from './wait-record.ts';
import { describeAccepted } from '../../protocol/words/accepted-gate.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { formatDuration } from '../../base/format-duration.ts';
import { plural } from '../../base/text.ts';
import { Undelivered } from './undelivered.ts';
import { detail, link, wholeLink, WhyLink } from './why-link.ts';

export const WhyView = z.strictObject({
  run: z.string(),
  state: z.enum(RUN_STATES),
  /** The causes in their order. The last one is the current state. */
  chain: z.array(WhyLink),
  applied: AppliedView.nullable(),
  /** Notifications about it that did not arrive, oldest first. */
  undelivered: z.array(Undelivered),
  /** What the user can do now. */
  next: z.string().nullable(),
});
export type WhyView = z.infer<typeof WhyView>;

const UNVERIFIED = 'unverified: no gate has checked what the agent says';
/** A longer chain shows only its first and its last links. */
const LINKS_MAX = 40;
/** The pause before a retry. */
const SHORT_WAIT_MS = 60_000;

/** What the history of a run does not contain. */
export type AroundRun = {
  /** The limit that keeps its next command from starting, in words. */
  readonly hold?: string | null;
  readonly applied?: AppliedView | null;
  /** The newest run that continues it. */
  readonly resumedAs?: string | null;
  /** When no owner ran. */
  readonly downtimes?: readonly Downtime[];
  readonly ownerEnds?: readonly OwnerEnd[];
  /** How the runs ended that it continues. */
  readonly endsBefore?: ReadonlyMap<string, RunOutcome>;
  readonly undelivered?: readonly Undelivered[];
  /** The open questions of the runs below it, oldest first. */
  readonly asksBelow?: readonly OpenQuestion[] | undefined;
};

export function explainRun(
  history: RunHistory,
  state: RunStatus,
  now: number,
  around: AroundRun = {},
): WhyView {
  const { hold = null, applied = null, resumedAs = null, downtimes = [] } = around;
  const { ownerEnds = [], endsBefore = new Map<string, RunOutcome>(), asksBelow = [] } = around;
  const origins = history.origins.map((one) =>
    link(one.at, describeOrigin(one, history.id, endsBefore.get(one.from))),
  );
  const names = childNames(history.children, history.stepIds);
  const links = [
    ...choiceLinks(history),
    ...baselineLinks(history.baseline),
    ...attemptLinks(history.attempts, { now, ownerEnds }),
    ...history.waits.flatMap((wait) => waitLink(wait, now)),
    ...history.questions.map((question) => questionLink(question, now)),
    ...asksBelow.map((asked) => askLink(asked, now)),
    ...history.children.map((child) => childLink(child, names.get(child.key) ?? child.key, now)),
    ...history.signals.flatMap((signal) => signalLink(signal, history.attempts)),
    ...history.messages.all.map(messageLink),
  ];
  const { attempts, waits, others } = history.earlier;
  const omittedEarlier =
    attempts + waits + others === 0
      ? []
      : [
          link(
            history.submittedAt,
            `${plural(attempts, 'attempt')}, ${plural(waits, 'wait')} and ${plural(others, 'other event')} before these are left out. List them with: supervisor events --run ${history.id}`,
          ),
        ];
  const endedAt = history.outcome === null ? null : history.lastAt;
  const span = { submittedAt: history.submittedAt, endedAt };
  const down = downtimes
    .filter((one) => wasActive(one, span))
    .map((one) => link(one.to, describeDowntime(one)));
  // What the run inherited comes first, then its own beginning.
  const inOrder = [...down, ...links, ...origins].toSorted((one, other) => one.at - other.at);
  const chain = shorten([...omittedEarlier, ...inOrder]);
  return {
    run: history.id,
    state,
    chain: [...chain, currentStateLink(history, { state, hold, hasBegun: links.length > 0 }, now)],
    applied,
    undelivered: [...(around.undelivered ?? [])],
    next: adviceFor(history, applied, resumedAs, asksBelow),
  };
}

function choiceLinks({ choice, submittedAt }: RunHistory): readonly WhyLink[] {
  if (choice === null) return [];
  const { kind, agent, instead, why } = choice;
  const decision = {
    learned: `it began with ${agent} instead of ${instead}`,
    explored: `it began with ${agent} instead of ${instead}, to learn about it`,
    suggested: `${agent} may be the better first agent than ${instead}`,
    kept: `it began with ${instead}, although ${agent} may be better`,
  };
  return [link(submittedAt, `${decision[kind]}: ${why}`)];
}

/** The cost of attempts that it does not repeat is not in the chain, so the sum is named here. */
function describeOrigin(
  { run, from, lastAttempt, spentBefore }: RunHistory['origins'][number],
  self: string,
  end: RunOutcome | undefined,
): string {
  const subject = run === self ? 'it' : `run ${run}`;
  const after = lastAttempt === null ? '' : ` after attempt ${lastAttempt}`;
  const how = end === undefined ? '' : `, which ended${after}: ${describeOutcome(end)}`;
  const cost = spentBefore === null ? '' : `; ${dollars(spentBefore)} was spent before it`;
  return `${subject} continues run ${from}${how}${cost}`;
}

function shorten(links: readonly WhyLink[]): readonly WhyLink[] {
  if (links.length <= LINKS_MAX) return links;
  const half = LINKS_MAX / 2;
  const gap = links[half];
  const omitted = links.length - LINKS_MAX;
  return [
    ...links.slice(0, half),
    ...(gap === undefined ? [] : [link(gap.at, `… ${omitted} more …`)]),
    ...links.slice(-half),
  ];
}

/** A green base explains nothing. A gate that can't run is in the outcome of the run, unless it only warns. */
function baselineLinks(baseline: readonly BaselineRecord[]): readonly WhyLink[] {
  return baseline.flatMap(({ name, outcome, begunAt, endedAt, isReused }) => {
    const isTold = outcome?.kind === 'unable' && outcome.warns !== true;
    if (outcome === null || outcome.kind === 'passed' || isTold) return [];
    const suffix = isReused ? ' (judged by an earlier run)' : '';
    return [link(endedAt ?? begunAt, `gate ${name} ${describeBaseline(outcome)}${suffix}`)];
  });
}

/** A wait that is over and lasted no time explains nothing. */
function waitLink(
  { begunAt, endedAt, until, why, skipped }: WaitRecord,
  now: number,
): readonly WhyLink[] {
  if (endedAt === null)
    return [
      link(
        begunAt,
        `it waits ${formatDuration(until - now)} longer, until ${new Date(until).toISOString()}: ${why}`,
      ),
    ];
  if (endedAt - begunAt < 1000) return [];
  const cut = skipped ? ', and a person ended the wait' : '';
  const cause = endedAt - begunAt < SHORT_WAIT_MS && !skipped ? detail : link;
  return [cause(endedAt, `it waited ${formatDuration(endedAt - begunAt)}: ${why}${cut}`)];
}

function childLink(
  { run, begunAt, endedAt, outcome }: ChildRecord,
  name: string,
  now: number,
): WhyLink {
  if (outcome !== null)
    return link(endedAt ?? begunAt, `${name}, run ${run}, ${describeOutcome(outcome)}`);
  return endedAt === null
    ? link(begunAt, `${name}, run ${run}, has been active for ${formatDuration(now - begunAt)}`)
    : link(endedAt, `${name}, run ${run}, was interrupted`);
}

function questionLink(asked: QuestionRecord, now: number): WhyLink {
  const { question, askedAt, endedAt } = asked;
  if (endedAt === null)
    return link(
      askedAt,
      `it has asked for ${formatDuration(now - askedAt)}: ${withoutAdvice(question)}`,
    );
  return link(endedAt, describeAnswer(asked));
}

function askLink(asked: OpenQuestion, now: number): WhyLink {
  const { since, question } = asked;
  const age = formatDuration(now - since);
  return link(since, `${describePart(asked)}, has asked for ${age}: ${withoutAdvice(question)}`);
}

function signalLink(
  { kind, at, words }: RunHistory['signals'][number],
  attempts: readonly AttemptHistory[],
): readonly WhyLink[] {
  if (words !== null) return [link(at, words)];
  const during = attempts.findLast(({ startedAt }) => startedAt <= at);
  const when = during === undefined ? 'before it began' : `during attempt ${during.number}`;
  const actions = { stop: 'stopped it', kill: 'killed it', next: 'asked for the next agent' };
  return kind in actions
    ? [link(at, `a person ${actions[kind as keyof typeof actions]} ${when}`)]
    : [];
}

function messageLink(message: MessageView): WhyLink {
  return link(message.at, `${describeMessage(message)} (${describeMessageState(message)})`);
}

function currentStateLink(
  history: RunHistory,
  { state, hold, hasBegun }: { state: string; hold: string | null; hasBegun: boolean },
  now: number,
): WhyLink {
  const { outcome, lastAt, submittedAt, program, setup, accepted } = history;
  if (outcome !== null) {
    const { kind, reason } = outcome;
    // The attempt above says what the agent claims.
    if (kind === 'unverified' && isClaim(history))
      return link(
        lastAt,
        accepted.length === 0 ? UNVERIFIED : `unverified: ${describeAccepted(accepted)}`,
      );
    const words = setup?.failed === true ? withLastLine(reason) : reason;
    return wholeLink(lastAt, describeOutcome({ kind, reason: words }));
  }
  if (hasBegun) return link(lastAt, `it is ${state}${hold === null ? '' : `: ${hold}`}`);
  if (program === AGENT_PROGRAM)
    return link(
      submittedAt,
      `its supervisor has not started a life for ${formatDuration(now - submittedAt)}`,
    );
  const doing = hold ?? beforeAttempts(history);
  const why = doing === null ? '' : `: ${doing}`;
  return link(submittedAt, `it has been ${state} for ${formatDuration(now - submittedAt)}${why}`);
}

/** Null: it is only about to begin. */
function beforeAttempts({ setup, baseline }: RunHistory): string | null {
  if (setup?.isOpen === true) return 'its setup runs';
  const gate = baseline.find(({ endedAt }) => endedAt === null);
  return gate === undefined ? null : `gate ${gate.name} runs on the base`;
}

/** The reason of a failed setup quotes its output. Of that, the last line is the most telling. */
function withLastLine(reason: string): string {
  const [first = '', ...quoted] = reason.split('\n');
  return [first, ...quoted.slice(-1)].join(': ');
}
