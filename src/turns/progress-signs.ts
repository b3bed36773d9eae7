/** Signs of progress that a tool call and its output show: items of a plan that have ended, and tests that fail. */
import { isRecord } from '../base/json.ts';
import type { PlanCount } from '../protocol/turn.ts';

const PLAN_TOOL = /todo|plan/i;
const LISTS = ['todos', 'plan', 'items', 'tasks'];
const DONE = /^(?:completed|done|cancelled)$/i;
const ITEMS_MAX = 200;

/** The plan that a call sets. Undefined: it sets none. */
export function readPlan(tool: string, input: unknown): PlanCount | undefined {
  if (!PLAN_TOOL.test(tool) || !isRecord(input)) return undefined;
  const list = LISTS.map((key) => input[key]).find(Array.isArray);
  const items = list?.filter(isRecord).slice(0, ITEMS_MAX) ?? [];
  if (items.length === 0) return undefined;
  const done = items.filter(({ status }) => typeof status === 'string' && DONE.test(status)).length;
  return { done, total: items.length };
}

/** Summaries of test runners come last. */
const SUMMARY_CHARS = 4000;
const FAILING =
  /(?:^|[\s#:(=])(?<!\b(?:attempt|try|retry|job|step|build|round|run|task|part)[ #:=]{1,2})(\d{1,6}) (?:tests? )?(?:failed|failing|failures?)\b|^# fail (\d{1,6})$|\bfailures[:=] ?(\d{1,6})\b/gim;
const PASSING = /(?:^|[\s#:(=])\d{1,6} (?:tests? )?(?:passed|passing)\b|^# pass \d{1,6}$|^OK \(/im;

/** How many tests fail. Undefined: the output does not count tests. */
export function countFailing(output: string): number | undefined {
  const end = output.slice(-SUMMARY_CHARS);
  const found = [...end.matchAll(FAILING)].at(-1);
  if (found !== undefined) return Number(found[1] ?? found[2] ?? found[3]);
  return PASSING.test(end) ? 0 : undefined;
}
