/** The content of a capsule from what the owner says about a run. */
import { plural } from '../base/text.ts';
import type { WorkDiff } from '../protocol/api.ts';
import { statusText } from '../protocol/views/run-status.ts';
import { ownSpending } from '../protocol/views/own-spending.ts';
import type { StatusRow } from '../protocol/views/status-row.ts';
import type { WhyView } from '../reports/runs/explain-run.ts';
import type { CapsuleContent, CapsuleFact } from './capsule.ts';
import { CAPSULE_FORMAT, DIFF_CHARS_MAX, FACTS_MAX } from './capsule.ts';

/** Newer facts matter more. */
const FACTS_CHARS_MAX = 12_000_000;

type Parts = {
  readonly row: StatusRow;
  readonly why: WhyView;
  readonly events: readonly CapsuleFact[];
  readonly diff: Pick<WorkDiff, 'text' | 'files' | 'leftOut'> | null;
  readonly version: string;
  readonly now: number;
};

export function capsuleContent({ row, why, events, diff, version, now }: Parts): CapsuleContent {
  const kept = newestFacts(events);
  return {
    ...{ format: CAPSULE_FORMAT, version, madeAt: now, run: row.view.id, task: row.view.task },
    facts: [...factsOf(row), ...leftOutOf(diff)],
    story: why.chain.map(({ at, what, evidence }) => ({
      ...{ at, what },
      evidence: evidence.map(({ source, line }) => ({ source, line })),
    })),
    leftOut: events.length - kept.length,
    events: [...kept],
    diff: diff === null ? null : diff.text.slice(0, DIFF_CHARS_MAX),
  };
}

/** A diff that is not whole says so. */
function leftOutOf(diff: Parts['diff']): CapsuleContent['facts'] {
  if (diff === null) return [];
  const { text, files, leftOut } = diff;
  const missing = [
    ...(leftOut > 0 ? [`${leftOut} of ${plural(files.length, 'file')}, which are too large`] : []),
    ...(text.length > DIFF_CHARS_MAX
      ? [`what follows its first ${DIFF_CHARS_MAX} characters`]
      : []),
  ];
  return missing.length === 0 ? [] : [{ name: 'not in the diff', value: missing.join('; ') }];
}

function newestFacts(events: readonly CapsuleFact[]): readonly CapsuleFact[] {
  let left = FACTS_CHARS_MAX;
  let begin = events.length;
  while (begin > 0 && events.length - begin < FACTS_MAX) {
    left -= JSON.stringify(events[begin - 1]).length;
    if (left < 0) break;
    begin -= 1;
  }
  return events.slice(begin);
}

function factsOf({ view, reason, applied }: StatusRow): CapsuleContent['facts'] {
  const { usd, tokens, calls } = ownSpending(view.budget);
  const facts: readonly (readonly [string, string | null])[] = [
    ['run', view.id],
    ['state', statusText(view)],
    ['reason', reason],
    ['project', view.project],
    ['agent', view.agent],
    ['attempts', String(view.attempts)],
    ['submitted', toTime(view.submittedAt)],
    ['ended', view.endedAt === null ? null : toTime(view.endedAt)],
    ['cost', `$${usd.toFixed(2)}, ${tokens} tokens, ${calls} calls`],
    ['last gate', view.gate === null ? null : `${view.gate.name}: ${view.gate.verdict}`],
    ['applied', applied === null ? 'no' : 'yes'],
    ['limits of the proof', view.caveats.length === 0 ? null : view.caveats.join('; ')],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]));
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
