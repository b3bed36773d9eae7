/** The causes that lie in the attempts of a run and in the gates that checked them. */
import { formatDuration } from '../../base/format-duration.ts';
import { describeToldApart } from '../../protocol/words/baseline-words.ts';
import { describeFailure, tellingLine } from '../../protocol/words/red-gate-words.ts';
import type { AttemptHistory } from './attempt-history.ts';
import { describeReason } from './attempt-reason.ts';
import { DECISION_WORDS } from '../anomaly-words.ts';
import { costWords, totalCost } from '../cost-words.ts';
import type { OwnerEnd } from './owner-ends.ts';
import { describeInterruption } from './owner-ends.ts';
import type { WhyLink } from './why-link.ts';
import { detail, link } from './why-link.ts';

/** What else an attempt is explained with. */
type Around = { readonly now: number; readonly ownerEnds: readonly OwnerEnd[] };

/** Attempts of one agent that failed in the same way are one cause, however many they are. */
export function attemptLinks(
  attempts: readonly AttemptHistory[],
  around: Around,
): readonly WhyLink[] {
  const links: WhyLink[] = [];
  for (let index = 0; index < attempts.length;) {
    const first = attempts[index];
    if (first === undefined) break;
    const firstDifferent = attempts.slice(index).findIndex((one) => !isAlike(first, one));
    const count = firstDifferent === -1 ? attempts.length - index : Math.max(1, firstDifferent);
    const last = attempts[index + count - 1] ?? first;
    const spent = describeCost(attempts.slice(index, index + count));
    links.push(
      ...attempts.slice(index, index + count).flatMap(anomalyLinks),
      attemptLink(first, last, spent, around),
      ...gateLinks(last, around, last === attempts.at(-1)),
    );
    index += count;
  }
  return links;
}

function isAlike(one: AttemptHistory, other: AttemptHistory): boolean {
  if (one === other) return true;
  if (one.identity !== other.identity || one.failure === null || other.failure === null)
    return false;
  // Each interruption has its own time and cause.
  if (one.end !== 'failed' || other.end !== 'failed') return false;
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
  { now, ownerEnds }: Around,
): WhyLink {
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
    case 'interrupted': {
      const times = { begunAt: last.startedAt, endedAt: at };
      return link(at, `${begun} was interrupted: ${describeInterruption(ownerEnds, times)}`);
    }
    case 'failed': {
      const { reason = 'unknown', message = '', evidence = [] } = last.failure ?? {};
      return link(at, `${begun} failed, ${reason}: ${message}`, evidence);
    }
  }
}

function anomalyLinks({ anomalies, number, why }: AttemptHistory): readonly WhyLink[] {
  const noun = why.kind === 'turn' ? 'turn' : 'attempt';
  return anomalies.map((one) => {
    const again = one.times === 1 ? '' : `, ${one.times} times`;
    const because = one.why === undefined ? '' : `: ${one.why}`;
    const as = one.message === undefined ? '' : ` with message ${one.message}`;
    const what = `${DECISION_WORDS[one.decision]}${as}${again}${because}`;
    const evidence = [{ source: `turn ${one.turn}`, line: one.words, rule: one.detector }];
    return link(one.at, `${noun} ${number}: ${what}`, evidence);
  });
}

/** A green gate matters only if no attempt followed. */
function gateLinks(
  { gates, endedAt }: AttemptHistory,
  { ownerEnds }: Around,
  isLast: boolean,
): readonly WhyLink[] {
  const red = gates.filter(({ kind }) => kind === 'failed' || kind === 'unable');
  const interrupted = gates.filter(({ kind }) => kind === 'interrupted');
  const green = gates.filter(({ kind }) => kind === 'passed');
  const last = green.at(-1);
  const names = green.map(({ name }) => name).join(', ');
  return [
    ...(last === undefined ? [] : [(isLast ? link : detail)(last.at, `gate ${names}: passed`)]),
    ...interrupted.map(({ at, name }) => {
      const why = describeInterruption(ownerEnds, { begunAt: endedAt ?? at, endedAt: at });
      return link(at, `gate ${name} was interrupted: ${why}`);
    }),
    ...red.map(({ at, name, words, tail, warns, failures: [first] }) => {
      const line = first === undefined ? tellingLine(tail) : describeFailure(first);
      const rule = first === undefined ? 'from its output' : 'the first failed test of its report';
      const evidence = line === '' ? [] : [{ source: 'gate', line, rule }];
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
