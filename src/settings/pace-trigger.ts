/**
 * Reads the trigger of a plan, such as `failures >= 5 OR context_fill > 0.85`. A part that could never hold is a fault:
 * a trigger that is read and never fires looks like protection and is none.
 */
import type {
  PaceCondition,
  PaceFact,
  PaceTrigger,
} from '../protocol/contracts/organization-contract.ts';

const FACTS: Readonly<Record<string, PaceFact>> = Object.assign(Object.create(null), {
  failures: 'failures',
  consecutive_failures: 'failures',
  consecutive_tool_failures: 'failures',
  tool_failures_consecutive: 'failures',
  context_fill: 'context',
  context_fill_pct: 'context',
  turns_without_progress: 'turns-without-progress',
  turns_since_progress: 'turns-without-progress',
});

type Range = readonly [least: number, most: number];
/** The history keeps twenty failures, and fewer than two in a row are an ordinary mistake. */
const RANGES: Readonly<Record<Exclude<PaceFact, 'unrecoverable'>, Range>> = {
  failures: [2, 20],
  context: [0.5, 1],
  'turns-without-progress': [6, 1000],
};

const CHARS_MAX = 300;
const PARTS_MAX = 10;
const NEVER = /^(?:none|never|default|always)$/i;
const UNRECOVERABLE = /^unrecoverable(?:_error)?$/i;
const UNRECOVERABLE_FAILURES = 3;
const COMPARISON =
  /^(?<fact>[A-Za-z_]+) *(?<operator>>=|<=|==|=|>|<|≥|≤) *(?:(?<number>\d{1,6}(?:\.\d{1,6})?)(?<percent> ?%)?|max(?:_turns_without_progress)? *(?:[*×x] *(?<factor>\d{1,3}(?:\.\d{1,6})?))?)$/;

export type ReadTrigger =
  | { readonly kind: 'trigger'; readonly trigger: PaceTrigger }
  /** The words after "expected". */
  | { readonly kind: 'fault'; readonly expected: string };

/** `turnsMax` is what `max` stands for: the turns without progress that the role allows. */
export function readPaceTrigger(text: string, turnsMax: number): ReadTrigger {
  if (text.length > CHARS_MAX) return fault(`a trigger of up to ${CHARS_MAX} characters`);
  const written = text.trim();
  if (NEVER.test(written)) return { kind: 'trigger', trigger: [] };
  const either = written.split(/\s+OR\s+|\s*\|\|\s*/i);
  const trigger: PaceCondition[][] = [];
  for (const part of either) {
    const all: PaceCondition[] = [];
    for (const one of part.split(/\s+AND\s+|\s*&&\s*/i)) {
      const condition = readCondition(one.trim(), turnsMax);
      if (typeof condition === 'string') return fault(condition);
      all.push(condition);
    }
    trigger.push(all);
  }
  if (trigger.flat().length > PARTS_MAX) return fault(`at most ${PARTS_MAX} conditions`);
  return { kind: 'trigger', trigger };
}

function fault(expected: string): ReadTrigger {
  return { kind: 'fault', expected };
}

/** Text: what was expected instead. */
function readCondition(text: string, turnsMax: number): PaceCondition | string {
  if (UNRECOVERABLE.test(text))
    return { fact: 'unrecoverable', operator: '>=', limit: UNRECOVERABLE_FAILURES };
  const { fact: name, operator, number, percent, factor } = COMPARISON.exec(text)?.groups ?? {};
  if (name === undefined || operator === undefined)
    return 'conditions such as failures >= 3, context_fill > 0.85, turns_without_progress > max * 1.5 or unrecoverable_error, joined by OR and AND';
  const fact = FACTS[name.toLowerCase()];
  if (fact === undefined || fact === 'unrecoverable')
    return name.toLowerCase() === 'turns'
      ? 'turns_without_progress instead of turns, because the number of turns alone says nothing'
      : 'a fact that is known: failures, context_fill, turns_without_progress or unrecoverable_error';
  if (operator === '<' || operator === '<=' || operator === '≤')
    return 'a condition with > or >=, because one with < holds from the first turn on';
  if (number === undefined && fact !== 'turns-without-progress')
    return 'a number, because max stands for turns without progress';
  const limit =
    number === undefined
      ? turnsMax * Number(factor ?? 1)
      : Number(number) / (percent === undefined ? 1 : 100);
  const [least, most] = RANGES[fact];
  const canHold = operator === '>' ? limit < most : limit <= most;
  if (limit < least || !canHold) return `a limit of ${name} from ${least} to ${most}`;
  return { fact, operator: plainOperator(operator), limit };
}

function plainOperator(operator: string): PaceCondition['operator'] {
  if (operator === '>') return '>';
  return operator === '=' || operator === '==' ? '==' : '>=';
}
