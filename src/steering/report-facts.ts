/** What a report says about the work, besides what the detectors know. Bounded, however long the work takes. */
import type { TurnRecord, TurnStep } from '../protocol/turn.ts';

export type ReportFacts = {
  readonly failuresTotal: number;
  /** The most recent last. */
  readonly modified: readonly string[];
  readonly read: readonly string[];
  /** The tool that the model asked for last. */
  readonly tool: string;
  readonly isWaiting: boolean;
  readonly contextTokens: number;
  readonly contextTokensMax: number;
};

export const NO_REPORT_FACTS: ReportFacts = {
  failuresTotal: 0,
  modified: [],
  read: [],
  tool: '',
  isWaiting: false,
  contextTokens: 0,
  contextTokensMax: 0,
};

const FILES_MAX = 20;
const READING = /^(?:read|view|cat|open)/i;

export function foldReportFacts(facts: ReportFacts, turn: TurnRecord): ReportFacts {
  const { steps, calls } = turn;
  return {
    failuresTotal: facts.failuresTotal + steps.filter(({ error }) => error !== undefined).length,
    modified: recent(
      facts.modified,
      steps.flatMap(({ writes = [] }) => writes),
    ),
    read: recent(facts.read, steps.flatMap(readFile)),
    tool: calls.at(-1)?.tool ?? '',
    isWaiting: steps.length > 0 && steps.every(({ waits }) => waits === true),
    contextTokens: turn.contextTokens ?? facts.contextTokens,
    contextTokensMax: turn.contextTokensMax ?? facts.contextTokensMax,
  };
}

function readFile({ tool, subject, error }: TurnStep): readonly string[] {
  return error === undefined && subject !== undefined && READING.test(tool) ? [subject] : [];
}

function recent(known: readonly string[], more: readonly string[]): readonly string[] {
  if (more.length === 0) return known;
  const kept = known.filter((one) => !more.includes(one));
  return [...kept, ...new Set(more)].slice(-FILES_MAX);
}
