/**
 * Why a run is in its state: the shortest chain of causes with the evidence of each, and what to do
 * next.
 */
import { z } from 'zod';
import { AppliedView } from '../protocol/views/applied-view.ts';
import type { RunStatus } from '../protocol/views/run-status.ts';
import { RUN_STATES } from '../protocol/views/run-status.ts';
import type { AttemptHistory, Evidence } from './attempt-history.ts';
import { describeReason } from './attempt-reason.ts';
import { describeBaseline, describeToldApart } from '../protocol/baseline-words.ts';
import { describeOutcome } from '../protocol/outcome.ts';
import { tellingLine } from '../protocol/red-gate-words.ts';
import type { ChildRecord } from './child-record.ts';
import type { BaselineRecord } from './baseline-record.ts';
import { costWords, dollars, totalCost } from './cost-words.ts';
import { adviceFor } from './advice.ts';
import type { Downtime } from './downtimes.ts';
import { describeDowntime, wasActive } from './downtimes.ts';
import type { QuestionRecord, RunHistory, WaitRecord } from './run-history.ts';
import { AGENT_PROGRAM } from '../protocol/long-lived-agent.ts';
import { formatDuration } from '../base/format-duration.ts';
import { oneLine, plural, truncate } from '../base/text.ts';

const EvidenceSchema = z.strictObject({ source: z.string(), line: z.string(), rule: z.string() });

export const WhyView = z.strictObject({
  run: z.string(),
  state: z.enum(RUN_STATES),
  /** The causes in their order. The last one is the current state. */
  chain: z.array(
    z.strictObject({ at: z.number(), what: z.string(), evidence: z.array(EvidenceSchema) }),
  ),
  applied: AppliedView.nullable(),
  /** What the user can do now. */
  next: z.string().nullable(),
});
export type WhyView = z.infer<typeof WhyView>;
type Link = WhyView['chain'][number];

const EVIDENCE_MAX = 2;
const TEXT_MAX = 300;
/** A longer chain shows only its first and its last links. */
const LINKS_MAX = 40;

/** What the history of a run does not contain. */
export type AroundRun = {
  /** The limit that keeps its next command from starting, in words. */
  readonly hold?: string | null;
  readonly applied?: AppliedView | null;
  /** The newest run that continues it. */
  readonly resumedAs?: string | null;
  /** When no owner ran. */
  readonly downtimes?: readonly Downtime[];
};

export function explainRun(
  history: RunHistory,
  state: RunStatus,
  now: number,
  { hold = null, applied = null, resumedAs = null, downtimes = [] }: AroundRun = {},
): WhyView {
  const origin =
    history.from === null ? [] : [link(history.submittedAt, describeOrigin(history, history.from))];
  const links = [
    ...baselineLinks(history.baseline),
    ...attemptLinks(history.attempts, now),
    ...history.waits.flatMap((wait) => waitLink(wait, now)),
    ...history.questions.map((question) => questionLink(question, now)),
    ...history.children.map((child) => childLink(child, now)),
    ...history.signals.flatMap((signal) => signalLink(signal, history.attempts)),
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
  const inOrder = [...down, ...links, ...origin].toSorted((one, other) => one.at - other.at);
  const chain = shorten([...omittedEarlier, ...inOrder]);
  return {
    run: history.id,
    state,
    chain: [...chain, currentStateLink(history, { state, hold, hasBegun: links.length > 0 }, now)],
    applied,
    next: adviceFor(history, applied, resumedAs),
  };
}

/** The cost of attempts that it does not repeat is not in the chain, so the sum is named here. */
function describeOrigin({ spentBefore }: RunHistory, from: string): string {
  const cost = spentBefore === null ? '' : `; ${dollars(spentBefore)} was spent before it`;
  return `it continues run ${from}${cost}`;
}

function link(at: number, what: string, evidence: readonly Evidence[] = []): Link {
  return {
    at,
    what: truncate(oneLine(what), TEXT_MAX),
    evidence: evidence
      .slice(0, EVIDENCE_MAX)
      .map(({ source, line, rule }) => ({ source, line, rule })),
  };
}

function shorten(links: readonly Link[]): readonly Link[] {
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

/** Attempts of one agent that failed in the same way are one cause, however many they are. */
function attemptLinks(attempts: readonly AttemptHistory[], now: number): readonly Link[] {
  const links: Link[] = [];
  for (let index = 0; index < attempts.length;) {
    const first = attempts[index];
    if (first === undefined) break;
    const firstDifferent = attempts.slice(index).findIndex((one) => !isAlike(first, one));
    const count = firstDifferent === -1 ? attempts.length - index : Math.max(1, firstDifferent);
    const last = attempts[index + count - 1] ?? first;
    const spent = describeCost(attempts.slice(index, index + count));
    links.push(attemptLink(first, last, spent, now), ...gateLinks(last));
    index += count;
  }
  return links;
}

function isAlike(one: AttemptHistory, other: AttemptHistory): boolean {
  if (one === other) return true;
  if (one.identity !== other.identity || one.failure === null || other.failure === null)
    return false;
  return (
    one.failure.reason === other.failure.reason && one.failure.message === other.failure.message
  );
}

/** The known cost of the attempts, and its source. */
function describeCost(attempts: readonly AttemptHistory[]): string {
  const words = costWords(totalCost(attempts));
  const isReported = attempts.some(({ usage }) => usage.costFrom === 'cli');
  return `${words}${isReported ? ' as reported by the CLI' : ''}`;
}

function attemptLink(
  first: AttemptHistory,
  last: AttemptHistory,
  spent: string,
  now: number,
): Link {
  const noun = first.why.kind === 'turn' ? 'turn' : 'attempt';
  const subject =
    first === last
      ? `${noun} ${first.number} with ${first.agentId}`
      : `${noun}s ${first.number} to ${last.number} with ${first.agentId}`;
  const details = [describeReason(first), spent].filter((words) => words !== '').join('; ');
  const begun = details === '' ? subject : `${subject} (${details})`;
  const at = last.endedAt ?? last.startedAt;
  switch (last.end) {
    case null:
      return link(at, `${begun} has been running for ${formatDuration(now - last.startedAt)}`);
    case 'completed':
      return link(
        at,
        `${begun} ${noun === 'turn' ? 'says' : 'says it is done'}: ${last.summary ?? ''}`,
      );
    case 'stopped':
      return link(at, `${begun} was stopped`);
    case 'interrupted':
      return link(at, `${begun} was interrupted: the owner process died`);
    case 'failed': {
      const { reason = 'unknown', message = '', evidence = [] } = last.failure ?? {};
      return link(at, `${begun} failed, ${reason}: ${message}`, evidence);
    }
  }
}

/** A green base explains nothing. A gate that can't run is in the outcome of the run, unless it only warns. */
function baselineLinks(baseline: readonly BaselineRecord[]): readonly Link[] {
  return baseline.flatMap(({ name, outcome, begunAt, endedAt, isReused }) => {
    const isTold = outcome?.kind === 'unable' && outcome.warns !== true;
    if (outcome === null || outcome.kind === 'passed' || isTold) return [];
    const suffix = isReused ? ' (judged by an earlier run)' : '';
    return [link(endedAt ?? begunAt, `gate ${name} ${describeBaseline(outcome)}${suffix}`)];
  });
}

function gateLinks({ gates }: AttemptHistory): readonly Link[] {
  const red = gates.filter(({ kind }) => kind === 'failed' || kind === 'unable');
  const interrupted = gates.filter(({ kind }) => kind === 'interrupted');
  const green = gates.filter(({ kind }) => kind === 'passed');
  const last = green.at(-1);
  const names = green.map(({ name }) => name).join(', ');
  return [
    ...(last === undefined ? [] : [link(last.at, `gate ${names}: passed`)]),
    ...interrupted.map(({ at, name }) =>
      link(at, `gate ${name} was interrupted: the owner process died`),
    ),
    ...red.map(({ at, name, words, tail, warns }) => {
      const line = tellingLine(tail);
      const evidence = line === '' ? [] : [{ source: 'gate', line, rule: 'from its output' }];
      const suffix = warns ? ', only a warning' : '';
      return link(at, `gate ${name} was red: ${words}${suffix}`, evidence);
    }),
    ...gates.flatMap(({ at, name, kind, sinceBase }) =>
      sinceBase === null
        ? []
        : [link(at, `gate ${name}: ${describeToldApart(sinceBase, kind === 'passed')}`)],
    ),
    ...gates.flatMap(({ at, caveats }) => caveats.map((caveat) => link(at, caveat))),
  ];
}

/** A wait that is over and lasted no time explains nothing. */
function waitLink(
  { begunAt, endedAt, until, why, skipped }: WaitRecord,
  now: number,
): readonly Link[] {
  if (endedAt === null)
    return [
      link(
        begunAt,
        `it waits ${formatDuration(until - now)} longer, until ${new Date(until).toISOString()}: ${why}`,
      ),
    ];
  if (endedAt - begunAt < 1000) return [];
  const cut = skipped ? ', and a person ended the wait' : '';
  return [link(endedAt, `it waited ${formatDuration(endedAt - begunAt)}: ${why}${cut}`)];
}

function childLink({ key, run, begunAt, endedAt, outcome }: ChildRecord, now: number): Link {
  if (outcome !== null)
    return link(endedAt ?? begunAt, `${key}, run ${run}, ${describeOutcome(outcome)}`);
  return endedAt === null
    ? link(begunAt, `${key}, run ${run}, has been active for ${formatDuration(now - begunAt)}`)
    : link(endedAt, `${key}, run ${run}, was interrupted`);
}

function questionLink({ question, askedAt, answer, endedAt }: QuestionRecord, now: number): Link {
  if (endedAt === null)
    return link(askedAt, `it has asked for ${formatDuration(now - askedAt)}: ${question}`);
  return link(
    endedAt,
    answer === null
      ? `it asked: ${question}`
      : `a person answered ${JSON.stringify(answer)} to: ${question}`,
  );
}

function signalLink(
  { kind, at, words }: RunHistory['signals'][number],
  attempts: readonly AttemptHistory[],
): readonly Link[] {
  if (words !== null) return [link(at, words)];
  const during = attempts.findLast(({ startedAt }) => startedAt <= at);
  const when = during === undefined ? 'before it began' : `during attempt ${during.number}`;
  const actions = { stop: 'stopped it', kill: 'killed it', next: 'asked for the next agent' };
  return kind in actions
    ? [link(at, `a person ${actions[kind as keyof typeof actions]} ${when}`)]
    : [];
}

function currentStateLink(
  { outcome, lastAt, submittedAt, program, setup }: RunHistory,
  { state, hold, hasBegun }: { state: string; hold: string | null; hasBegun: boolean },
  now: number,
): Link {
  if (outcome !== null) {
    const { kind, reason } = outcome;
    const words = setup?.failed === true ? withLastLine(reason) : reason;
    return link(lastAt, describeOutcome({ kind, reason: words }));
  }
  if (hasBegun) return link(lastAt, `it is ${state}${hold === null ? '' : `: ${hold}`}`);
  if (program === AGENT_PROGRAM)
    return link(
      submittedAt,
      `its supervisor has not started a life for ${formatDuration(now - submittedAt)}`,
    );
  return link(
    submittedAt,
    `it has been ${state} for ${formatDuration(now - submittedAt)}: ${hold ?? 'no capacity is free'}`,
  );
}

/** The reason of a failed setup quotes its output. Of that, the last line is the most telling. */
function withLastLine(reason: string): string {
  const [first = '', ...quoted] = reason.split('\n');
  return [first, ...quoted.slice(-1)].join(': ');
}
