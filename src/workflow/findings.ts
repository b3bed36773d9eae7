/** The findings of reviews: read from answers, compared between rounds, and written for the agent that fixes them. */
import type { Json } from '../base/json.ts';
import { isRecord } from '../base/json.ts';
import { oneLine, truncate } from '../base/text.ts';

export type ReviewFinding = {
  readonly severity: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly text: string;
};

const FINDINGS_MAX = 50;
const TEXT_MAX = 500;

/** Of a review, or the blockers and risks of another answer. */
export function readFindings(answer: Json): readonly ReviewFinding[] {
  if (!isRecord(answer)) return [];
  const issues = list(answer['issues']).flatMap(readIssue);
  const concerns = texts(answer['security_concerns']).map((text) => plain('high', text));
  const blockers = texts(answer['blockers']).map((text) => plain('high', text));
  const risks = texts(answer['risks']).map((text) => plain('medium', text));
  return [...issues, ...concerns, ...blockers, ...risks].slice(0, FINDINGS_MAX);
}

function readIssue(issue: unknown): readonly ReviewFinding[] {
  if (!isRecord(issue) || typeof issue['description'] !== 'string') return [];
  const { severity, file, line, description, suggestion } = issue;
  const advice = typeof suggestion === 'string' ? ` (suggestion: ${suggestion})` : '';
  return [
    {
      severity: typeof severity === 'string' ? severity : 'medium',
      file: typeof file === 'string' ? truncate(file, TEXT_MAX) : null,
      line: typeof line === 'number' ? line : null,
      text: truncate(oneLine(`${description}${advice}`), TEXT_MAX),
    },
  ];
}

function plain(severity: string, text: string): ReviewFinding {
  return { severity, file: null, line: null, text: truncate(oneLine(text), TEXT_MAX) };
}

/** `src/a.ts:12: [high] leaks the file`. */
export function describeFinding({ severity, file, line, text }: ReviewFinding): string {
  const place = file === null ? '' : `${file}${line === null ? '' : `:${line}`}: `;
  return `${place}[${severity}] ${text}`;
}

/** The same finding in two rounds: line numbers, case and punctuation may differ. */
export function normalizeFindings(findings: readonly ReviewFinding[]): readonly string[] {
  const forms = findings.map(({ file, text }) => {
    const words = text
      .toLowerCase()
      .replaceAll(/\d+/g, '0')
      .replaceAll(/[^\p{L}0]+/gu, ' ');
    return `${file ?? ''} ${words.trim()}`;
  });
  return [...new Set(forms)].toSorted();
}

/** Whether a round found nothing that the round before had not found. */
export function isSameRound(
  before: readonly string[] | null,
  findings: readonly string[],
): boolean {
  return before !== null && findings.every((one) => before.includes(one));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, FINDINGS_MAX) : [];
}

function texts(value: unknown): readonly string[] {
  return list(value).filter((one) => typeof one === 'string');
}
