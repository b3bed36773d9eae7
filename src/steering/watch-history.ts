/**
 * What the detectors know about one conversation. It is bounded, however long the conversation is: a success clears the
 * failures, and progress resets the counts.
 */
import type { PlanCount, ToolError, TurnRecord, TurnStep } from '../protocol/turn.ts';
import { contextFill } from '../turns/context-fill.ts';
import type { PaceState } from './pace-level.ts';

export type PastFailure = {
  readonly turn: number;
  readonly tool: string;
  readonly signature: string;
  readonly error: ToolError;
  /** A test run that fails is a finding about the work, not about the tool. */
  readonly isTestRun: boolean;
  readonly subject: string | null;
};

export type PastSuccess = {
  readonly turn: number;
  readonly tool: string;
  /** Its signature and its output. */
  readonly mark: string;
  readonly signature: string;
  readonly subject: string | null;
};

/** A failure that came again and again until a success ended it. */
type Recovery = { readonly turn: number; readonly failure: PastFailure };

export type WatchHistory = {
  /** How many turns there were. */
  readonly turn: number;
  /** The number of the last record. A retried turn has the same number again. */
  readonly lastNumber: number;
  /** The failures since the last success, at most 20. */
  readonly failures: readonly PastFailure[];
  /** The successes in a row that did not change a file, at most 20. */
  readonly successes: readonly PastSuccess[];
  /** Marks of results that were seen, oldest first. */
  readonly known: ReadonlySet<string>;
  /** Turns since the last progress, without those that only waited. */
  readonly sinceProgress: number;
  /** The last of them in a row that brought nothing new. */
  readonly nothingNew: number;
  /** From 0 to 1. Null: not known. */
  readonly context: number | null;
  /** How often the context became much shorter: the CLI makes room itself. */
  readonly compactions: number;
  readonly plan: PlanCount | null;
  /** Turns in a row that brought nothing new after the end of the plan, or while it says that it is done. Null: it is not. */
  readonly afterPlan: number | null;
  /** The lowest number of failing tests, by signature. */
  readonly failing: ReadonlyMap<string, number>;
  /** Turns in a row without a tool call and without a new text. */
  readonly noOps: number;
  /** The last text that is not empty. */
  readonly lastText: string;
  readonly recovery: Recovery | null;
  /** What the agent works on: the subject of its last call. */
  readonly subject: string | null;
  /** Null: no role is active. */
  readonly pace: PaceState | null;
};

const FAILURES_MAX = 20;
const SUCCESSES_MAX = 20;
const KNOWN_MAX = 400;
const TESTS_MAX = 20;
/** The same failure fewer times is an ordinary mistake. */
const STREAK_MIN = 3;
/** The context shrinks a little when a CLI drops old outputs. Half of it is a compaction. */
const COMPACTED = 0.6;
const SCRATCH = /^(?:\/private)?(?:\/var)?\/(?:tmp|dev)\//;

export const NO_HISTORY: WatchHistory = {
  turn: 0,
  lastNumber: 0,
  failures: [],
  successes: [],
  known: new Set(),
  sinceProgress: 0,
  nothingNew: 0,
  context: null,
  compactions: 0,
  plan: null,
  afterPlan: null,
  failing: new Map(),
  noOps: 0,
  lastText: '',
  recovery: null,
  subject: null,
  pace: null,
};

export function foldTurn(history: WatchHistory, turn: TurnRecord): WatchHistory {
  const isRetry = turn.number === history.lastNumber;
  const number = isRetry ? history.turn : history.turn + 1;
  const answered = withAnswer({ ...history, turn: number, lastNumber: turn.number }, turn, isRetry);
  if (isRetry) return answered; // its steps are counted
  const stepped = turn.steps.reduce(withStep, answered);
  return countTurn(answered, stepped, turn.steps);
}

/** The work tree has changed, although no tool call showed it. */
export function foldTreeChange(history: WatchHistory): WatchHistory {
  return { ...history, ...PROGRESS, failures: [], successes: [], recovery: null };
}

const PROGRESS = { sinceProgress: 0, nothingNew: 0 } as const;

function withAnswer(history: WatchHistory, turn: TurnRecord, isRetry: boolean): WatchHistory {
  const fill = contextFill(turn);
  const before = history.context;
  const isCompacted = fill !== null && before !== null && fill < before * COMPACTED;
  const isNoOp = turn.calls.length === 0 && (turn.text === '' || turn.text === history.lastText);
  const noOps = isNoOp ? history.noOps + (isRetry ? 0 : 1) : 0;
  const subject = turn.calls.findLast((call) => call.subject !== undefined)?.subject;
  return {
    ...history,
    context: fill ?? before,
    compactions: history.compactions + (isCompacted ? 1 : 0),
    // What it has read is gone, so reading it again brings something new.
    known: isCompacted ? new Set() : history.known,
    noOps,
    lastText: turn.text === '' ? history.lastText : turn.text,
    subject: subject ?? history.subject,
  };
}

function withStep(history: WatchHistory, step: TurnStep): WatchHistory {
  if (step.waits === true) return history; // neither a success nor a failure
  return step.error === undefined
    ? withSuccess(history, step)
    : withFailure(history, step, step.error);
}

function withFailure(history: WatchHistory, step: TurnStep, error: ToolError): WatchHistory {
  const { tool, signature, subject = null } = step;
  const isTestRun = step.failing !== undefined;
  const failure = { turn: history.turn, tool, signature, error, isTestRun, subject };
  return {
    ...history,
    failures: [...history.failures, failure].slice(-FAILURES_MAX),
    successes: [],
  };
}

function withSuccess(history: WatchHistory, step: TurnStep): WatchHistory {
  const { tool, signature, subject = null } = step;
  if (isBookkeeping(history, step)) return history;
  const last = history.failures.at(-1);
  const times = history.failures.filter((one) => failureKey(one) === (last && failureKey(last)));
  const isRecovery = times.length >= STREAK_MIN && last !== undefined;
  const recovered = {
    ...history,
    failures: [],
    recovery: isRecovery ? { turn: history.turn, failure: last } : history.recovery,
  };
  if (isEdit(step)) return { ...recovered, successes: [], recovery: null };
  const success = {
    turn: history.turn,
    tool,
    mark: successMark(step),
    signature,
    subject,
  };
  return { ...recovered, successes: [...history.successes, success].slice(-SUCCESSES_MAX) };
}

function successMark({ signature, output = '' }: TurnStep): string {
  return `${signature} ${output}`;
}

/** Tools with which an agent says what it intends. They always succeed, so they end no row of failures. */
const INTENT_TOOL = /^(?:report_?intent|.*think.*|.*todo.*|update_plan)$/i;

function isBookkeeping({ plan }: WatchHistory, step: TurnStep): boolean {
  return INTENT_TOOL.test(step.tool) && (step.plan?.done ?? 0) <= (plan?.done ?? 0);
}

/** Equal for two failures of the same call in the same way. */
export function failureKey({ tool, error, signature }: PastFailure): string {
  return `${tool} ${error} ${signature}`;
}

/** Calls of one turn run side by side: the agent could not learn from the first before the second. */
export function turnsOf(failures: readonly PastFailure[]): number {
  return new Set(failures.map(({ turn }) => turn)).size;
}

/** A file of the work, not of a temporary folder. */
function isEdit({ writes = [], error }: TurnStep): boolean {
  return error === undefined && writes.some((path) => !SCRATCH.test(path));
}

const SAYS_DONE =
  /^(?:all )?done\b|\ball done\b|\bI(?:'m| am) done\b|\b(?:task|work) is (?:now )?(?:done|complete|finished)\b|\bI have (?:completed|finished)\b/i;

function countTurn(
  before: WatchHistory,
  history: WatchHistory,
  steps: readonly TurnStep[],
): WatchHistory {
  const marks = steps.map(markOf);
  const isNew = steps.some(
    ({ error }, index) => error === undefined && !before.known.has(marks[index] ?? ''),
  );
  const plan = steps.findLast((step) => step.plan !== undefined)?.plan ?? history.plan;
  const failing = withTests(history.failing, steps);
  const isProgress =
    steps.some((step, index) => isEdit(step) && !before.known.has(marks[index] ?? '')) ||
    (plan !== null && plan.done > (history.plan?.done ?? 0)) ||
    [...failing].some(([signature, count]) => count < (history.failing.get(signature) ?? 0));
  const isWaiting = steps.length > 0 && steps.every(({ waits }) => waits === true);
  // The first turn has no steps: the model has only just begun.
  const isCounted = !isWaiting && (steps.length > 0 || history.turn > 1);
  const known = remember(before.known, marks);
  const isPlanOver = plan !== null && plan.done === plan.total;
  const counts = isProgress
    ? PROGRESS
    : {
        sinceProgress: history.sinceProgress + (isCounted ? 1 : 0),
        nothingNew: isNew ? 0 : history.nothingNew + (isCounted ? 1 : 0),
      };
  const isOver = isPlanOver || SAYS_DONE.test(history.lastText);
  const idle = (history.afterPlan ?? 0) + (isWaiting ? 0 : 1);
  const afterPlan = isOver ? (!isProgress && isRepetition(before, steps) ? idle : 0) : null;
  return { ...history, ...counts, known, plan, failing, afterPlan };
}

/** Only what it has just seen. A review at the end may look at everything once more, and a failure is news. */
function isRepetition(before: WatchHistory, steps: readonly TurnStep[]): boolean {
  const recent = new Set(before.successes.map(({ mark }) => mark));
  return steps.every(
    (step) =>
      step.waits === true ||
      (step.error === undefined && (isBookkeeping(before, step) || recent.has(successMark(step)))),
  );
}

/** An edit is the same edit if its arguments are; any other call if its output is the same too. */
function markOf(step: TurnStep): string {
  const { tool, signature, output = '' } = step;
  return isEdit(step) ? `${tool} ${signature}` : `${tool} ${signature} ${output}`;
}

function remember(known: ReadonlySet<string>, marks: readonly string[]): ReadonlySet<string> {
  if (marks.every((mark) => known.has(mark))) return known;
  const all = [...new Set([...known, ...marks])];
  return new Set(all.slice(-KNOWN_MAX));
}

function withTests(
  failing: ReadonlyMap<string, number>,
  steps: readonly TurnStep[],
): ReadonlyMap<string, number> {
  const counted = steps.flatMap((step) =>
    step.failing === undefined ? [] : [[step.signature, step.failing] as const],
  );
  if (counted.length === 0) return failing;
  const all = new Map(failing);
  for (const [signature, count] of counted) {
    const least = Math.min(count, all.get(signature) ?? count);
    all.delete(signature);
    all.set(signature, least);
  }
  return new Map([...all].slice(-TESTS_MAX));
}
