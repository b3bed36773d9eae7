/**
 * What the detectors know about one conversation. It is bounded, however long the conversation is: a success clears the
 * failures, and progress resets the counts.
 */
import type { PlanCount, ToolError, TurnRecord, TurnStep } from '../protocol/turn.ts';
import { contextFill } from '../turns/context-fill.ts';
import { isLook } from '../turns/is-look.ts';
import type { PaceState } from './pace-level.ts';
import type { PastFailure, PastSuccess, RepeatedFailure } from './past-calls.ts';
import {
  failureKey,
  hasAdvanced,
  isMissingStep,
  isOutside,
  isUnheard,
  pastFailure,
  pastSuccess,
  successMark,
  withRepeated,
} from './past-calls.ts';
import { hasJobAfter, isEdit, isNote, isOutsideFailure, isPoll, markOf } from './step-kinds.ts';

/** A failure that came again and again until a success ended it. */
type Recovery = { readonly turn: number; readonly failure: PastFailure };

type TestCount = { readonly least: number; readonly last: number };

export type WatchHistory = {
  /** How many turns there were. */
  readonly turn: number;
  /** The number of the last record. A retried turn has the same number again. */
  readonly lastNumber: number;
  /** The failures since the last success, at most 20. */
  readonly failures: readonly PastFailure[];
  /** By their keys, since something has changed: looks in between do not count. At most 20. */
  readonly repeated: ReadonlyMap<string, RepeatedFailure>;
  /** Looks in a row at something that is not there. */
  readonly probes: number;
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
  /** How many tests failed, by signature. */
  readonly tests: ReadonlyMap<string, TestCount>;
  /** The agent waits for a job that it has left running. */
  readonly hasJob: boolean;
  /** The last turn only waited. */
  readonly waited: boolean;
  /** Turns in a row without a tool call and without a new text. */
  readonly noOps: number;
  /** The last text that is not empty. */
  readonly lastText: string;
  /** The texts of turns without a tool call since the last call, at most 5. */
  readonly idleTexts: readonly string[];
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
/** So many looks at nothing in a row are a search. */
const PROBES_MAX = 40;
/** The same failure fewer times is an ordinary mistake. */
const STREAK_MIN = 3;
const IDLE_TEXTS_MAX = 5;
/** The provider interrupts a long answer, and the next request continues it. */
const PAUSED: ReadonlySet<string> = new Set(['pause_turn']);
/** The context shrinks a little when a CLI drops old outputs. Half of it is a compaction. */
const COMPACTED = 0.6;

export const NO_HISTORY: WatchHistory = {
  turn: 0,
  lastNumber: 0,
  failures: [],
  repeated: new Map(),
  probes: 0,
  successes: [],
  known: new Set(),
  sinceProgress: 0,
  nothingNew: 0,
  context: null,
  compactions: 0,
  plan: null,
  afterPlan: null,
  tests: new Map(),
  hasJob: false,
  waited: false,
  noOps: 0,
  lastText: '',
  idleTexts: [],
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
  return { ...history, ...PROGRESS, ...CHANGED };
}

const PROGRESS = { sinceProgress: 0, nothingNew: 0 } as const;
/** What failed before, and what was read, is over. */
const CHANGED: Pick<WatchHistory, 'failures' | 'repeated' | 'successes' | 'recovery'> = {
  ...{ failures: [], successes: [], recovery: null },
  repeated: new Map(),
};

function withAnswer(history: WatchHistory, turn: TurnRecord, isRetry: boolean): WatchHistory {
  const fill = contextFill(turn);
  const before = history.context;
  const isCompacted = fill !== null && before !== null && fill < before * COMPACTED;
  const isIdle = turn.calls.length === 0 && !PAUSED.has(turn.stop ?? '');
  const isKnown = turn.text === history.lastText || history.idleTexts.includes(turn.text);
  const isNoOp = isIdle && (turn.text === '' || isKnown);
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
    idleTexts: isIdle ? [...history.idleTexts, turn.text].slice(-IDLE_TEXTS_MAX) : [],
    subject: subject ?? history.subject,
  };
}

function withStep(history: WatchHistory, step: TurnStep): WatchHistory {
  if (step.waits === true || isPoll(history, step)) return withWait(history);
  return step.error === undefined
    ? withSuccess(history, step)
    : withFailure(history, step, step.error);
}

/** Neither a success nor a failure. What failed outside may work now, and what was read may be another. */
function withWait(history: WatchHistory): WatchHistory {
  const failures = history.failures.filter(staysAfterWait);
  const repeated = [...history.repeated].filter(([, { failure }]) => staysAfterWait(failure));
  return { ...history, failures, repeated: new Map(repeated), successes: [] };
}

function staysAfterWait({ error, isMissing }: PastFailure): boolean {
  return !isOutside(error, isMissing);
}

function withFailure(history: WatchHistory, step: TurnStep, error: ToolError): WatchHistory {
  const failure = pastFailure(history.turn, step, error);
  return {
    ...history,
    failures: [...history.failures.filter((one) => !hasAdvanced(one, failure)), failure].slice(
      -FAILURES_MAX,
    ),
    repeated: withRepeated(history.repeated, failure),
    probes: history.probes + (failure.isMissing ? 1 : 0),
    successes: [],
  };
}

function withSuccess(history: WatchHistory, step: TurnStep): WatchHistory {
  if (isNote(history.plan, step)) return history;
  if (isEdit(step)) return { ...history, ...CHANGED, probes: 0 };
  const last = history.failures.at(-1);
  const times = history.failures.filter((one) => failureKey(one) === (last && failureKey(last)));
  const isRecovery = times.length >= STREAK_MIN && last !== undefined;
  const successes = [...history.successes, pastSuccess(history.turn, step)];
  return {
    ...history,
    failures: [],
    repeated: isLook(step) ? history.repeated : new Map(),
    probes: 0,
    successes: successes.slice(-SUCCESSES_MAX),
    recovery: isRecovery ? { turn: history.turn, failure: last } : history.recovery,
  };
}

const SAYS_DONE =
  /^(?:all )?done\b|\ball done\b|\bI(?:'m| am) (?:all )?done\b|\bI(?:'ve| have) (?:now |successfully )?(?:completed|finished)\b|(?<!\b(?:once|when|until|after|before|if) (?:the |this |all )?)\b(?:task|work|everything|implementation|all (?:tasks|steps|items))(?: is| are| has been| have been)?(?: now)?(?: all| fully| in place and)? (?:done|completed?|finished)\b/i;

function countTurn(
  before: WatchHistory,
  history: WatchHistory,
  steps: readonly TurnStep[],
): WatchHistory {
  const marks = steps.map(markOf);
  const isKnown = (place: number): boolean => before.known.has(marks[place] ?? '');
  const isNew = steps.some(
    (step, place) => isNews(history, step, isKnown(place)) || isOtherResult(before, step),
  );
  const plan = steps.findLast((step) => step.plan !== undefined)?.plan ?? history.plan;
  const tests = withTests(history.tests, steps);
  const isProgress =
    steps.some((step, place) => (isEdit(step) || step.endsItem === true) && !isKnown(place)) ||
    (plan !== null && plan.done > (history.plan?.done ?? 0)) ||
    [...tests].some(([signature, { least }]) => least < (history.tests.get(signature)?.least ?? 0));
  const waits = (step: TurnStep): boolean => step.waits === true || isPoll(before, step);
  const waited = steps.length > 0 && steps.every(waits);
  // The same look after a wait belongs to the wait.
  const isLookAfter =
    (before.waited || steps.some(waits)) &&
    steps.every((step, place) => waits(step) || isKnown(place) || isOutsideFailure(step));
  const isWaiting = steps.length > 0 && (waited || isLookAfter);
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
  const hasJob = hasJobAfter(history.hasJob, steps);
  return { ...history, ...counts, known, plan, tests, afterPlan, hasJob, waited };
}

/** A result that was not seen before. Of failures, only those that answer a question: tests, and looks. */
function isNews({ probes }: WatchHistory, step: TurnStep, isKnown: boolean): boolean {
  if (isKnown) return step.error === undefined && isUnheard(step);
  if (step.error === undefined || step.failing !== undefined) return true;
  return isMissingStep(step) && probes <= PROBES_MAX;
}

/** A test that passes now and failed before is flaky, and running it again shows how often. */
function isOtherResult({ tests }: WatchHistory, { signature, failing }: TurnStep): boolean {
  const last = tests.get(signature)?.last;
  return failing !== undefined && last !== undefined && last !== failing;
}

/** Only what it has just seen. A review at the end may look at everything once more, and a failure is news. */
function isRepetition(before: WatchHistory, steps: readonly TurnStep[]): boolean {
  const recent = new Set(before.successes.map(({ mark }) => mark));
  return steps.every(
    (step) =>
      step.waits === true ||
      (step.error === undefined && (isNote(before.plan, step) || recent.has(successMark(step)))),
  );
}

function remember(known: ReadonlySet<string>, marks: readonly string[]): ReadonlySet<string> {
  if (marks.every((mark) => known.has(mark))) return known;
  const all = [...new Set([...known, ...marks])];
  return new Set(all.slice(-KNOWN_MAX));
}

function withTests(
  tests: WatchHistory['tests'],
  steps: readonly TurnStep[],
): WatchHistory['tests'] {
  const counted = steps.flatMap(({ signature, failing }) =>
    failing === undefined ? [] : [[signature, failing] as const],
  );
  if (counted.length === 0) return tests;
  const all = new Map(tests);
  for (const [signature, last] of counted) {
    const least = Math.min(last, all.get(signature)?.least ?? last);
    all.delete(signature);
    all.set(signature, { least, last });
  }
  return new Map([...all].slice(-TESTS_MAX));
}
