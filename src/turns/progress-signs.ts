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

/** Tools that change one item of a plan. Copilot CLI keeps its items in a table. */
const ITEM_TOOL = /^(?:task_?update|tracker_update_task)$/i;
const ITEM_QUERY = /\btodos?\b.*\bstatus\s*=\s*'(?:done|completed)'/is;

export function endsItem(tool: string, input: unknown): boolean {
  if (!isRecord(input)) return false;
  const { status, query } = input;
  if (tool === 'sql') return typeof query === 'string' && ITEM_QUERY.test(query.slice(0, 2000));
  return ITEM_TOOL.test(tool) && typeof status === 'string' && DONE.test(status);
}

/** Summaries of test runners come last. */
const SUMMARY_CHARS = 4000;
const FAILING =
  /(?:^|[\s#:(=])(?<!\b(?:attempt|try|retry|job|step|build|round|run|task|part)[ #:=]{1,2})(\d{1,6}) (?:tests? )?(?:failed|failing|failures?)\b|^# fail (\d{1,6})$|\bfailures[:=] ?(\d{1,6})\b|(?<!\bfailures=\d{1,6}, )\berrors=(\d{1,6})\b|^ *(\d{1,6}) fail$|\bFailed: {1,9}(\d{1,6}), Passed:|\bFAILED +\] (\d{1,6}) tests?\b/gim;
/** Go names each test that fails, and no number. */
const FAILING_ONE = /^ *--- FAIL: |^not ok \d/gm;
const PASSING =
  /(?:^|[\s#:(=])\d{1,6} (?:tests? )?(?:passed|passing)\b|^# pass \d{1,6}$|^OK \(|^ok +\t?\S+\s+(?:\d+\.\d+s|\(cached\))|\bPASSED +\] \d{1,6} tests?\b|^ *\d{1,6} pass$/im;

/** How many tests fail. Undefined: the output does not count tests. */
export function countFailing(output: string): number | undefined {
  const end = output.slice(-SUMMARY_CHARS);
  const found = [...end.matchAll(FAILING)].at(-1);
  if (found !== undefined) return Number(found.slice(1).find(Boolean));
  const ones = end.match(FAILING_ONE)?.length ?? 0;
  if (ones > 0) return ones;
  return PASSING.test(end) ? 0 : undefined;
}
