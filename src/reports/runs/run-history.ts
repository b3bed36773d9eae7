/**
 * The history of a run: its attempts, gates, waits and questions, read from its facts. Every
 * explanation of a run is computed from this, so that all explanations agree.
 */
import type { RunEvent } from '../../protocol/event.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { AcceptedGate } from '../../protocol/words/accepted-gate.ts';
import { acceptedAfter, acceptedWhenBegun } from '../../protocol/views/accepted-view.ts';
import { runOfStream } from '../../protocol/streams.ts';
import { isMoneyQuestion } from '../../protocol/views/money-question.ts';
import type { MessagesState } from '../../protocol/views/message-view.ts';
import { continueMessages, foldMessages, NO_MESSAGES } from '../../protocol/views/message-view.ts';
import { isAgentSignal } from '../../protocol/signal.ts';
import { describeAgentSignal } from '../describe-signal.ts';
import type { LearnedChoice } from '../../protocol/learned-choice.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { AttemptHistory } from './attempt-history.ts';
import type { QuestionRecord } from './question-record.ts';
import { newQuestion } from './question-record.ts';
import type { ChildRecord } from './child-record.ts';
import { endChild, newChild } from './child-record.ts';
import type { BaselineRecord } from './baseline-record.ts';
import { endBaseline, newBaselineRecord } from './baseline-record.ts';
import { newAttemptHistory, endAttempt, noteAttempt, addGate } from './attempt-history.ts';
import type { CoolingRecord } from './cooling-record.ts';
import { withAvailability, withCooling } from './cooling-record.ts';
import type { GateRecord } from './gate-record.ts';
import { gateRecord } from './gate-record.ts';
import { totalCost } from '../cost-words.ts';
import { changeItem } from './change-item.ts';
import type { StepRecords } from '../steps/step-records.ts';
import { NO_STEP_RECORDS, withCollected, withCommit, withStepGate } from '../steps/step-records.ts';
import type { WaitRecord } from './wait-record.ts';
import type { RunOrigin } from './run-origin.ts';
import { runOrigin } from './run-origin.ts';
import { stepIds } from '../../protocol/visit-names.ts';
import { isKeylessStart } from '../../protocol/keyless-start.ts';
import type { CommandBegun, CommandEnded } from '../../protocol/commands.ts';

export type RunHistory = {
  readonly id: string;
  readonly program: string;
  readonly task: string;
  readonly project: string;
  /** For a run that continues another: when it began to. */
  readonly submittedAt: number;
  /** The run that it continues. The lists below also contain the entries of that run. */
  readonly from: string | null;
  /** Each run of the chain that continues another, oldest first. The last one is this run. */
  readonly origins: readonly RunOrigin[];
  /** What the record of earlier attempts said about its first agent. Null: nothing. */
  readonly choice: LearnedChoice | null;
  /** The command that prepares a new copy of the project. Null: it has not begun, or the project has none. */
  readonly setup: { readonly isOpen: boolean; readonly failed: boolean } | null;
  /** The gates on the base, in the order in which they began. */
  readonly baseline: readonly BaselineRecord[];
  readonly attempts: readonly AttemptHistory[];
  /** The last agent that was to start lacked its key. That is no attempt. */
  readonly lacksKey: boolean;
  /** The name of the gate that began last. */
  readonly gateName: string | null;
  readonly waits: readonly WaitRecord[];
  readonly questions: readonly QuestionRecord[];
  /** Gates that are red on its last work and that a person accepted. */
  readonly accepted: AcceptedGate[];
  /** The runs that it started. */
  readonly children: readonly ChildRecord[];
  /** The steps of the workflow, as its file names them. Empty for another run. */
  readonly stepIds: readonly string[];
  /** What the steps of a workflow have left. Empty for another run. */
  readonly steps: StepRecords;
  /** `words`: the description of a signal to a long-lived agent. */
  readonly signals: readonly {
    readonly kind: string;
    readonly at: number;
    readonly words: string | null;
  }[];
  readonly messages: MessagesState;
  /** The identities that are cooling down, as far as the run knows. */
  readonly cooling: readonly CoolingRecord[];
  /** A summary of the entries that the lists above dropped. Each list keeps the newest. */
  readonly earlier: {
    readonly attempts: number;
    /** How many of these attempts are its own, and what those cost. */
    readonly ownAttempts: number;
    readonly costUsd: number | null;
    readonly waits: number;
    /** How long its own waits lasted. */
    readonly waitedMs: number;
    readonly others: number;
  };
  readonly outcome: RunOutcome | null;
  /** When the last of its facts was written. */
  readonly lastAt: number;
};

/** Raised with every change of `RunHistory` or of its texts: a stored history of another version is not read. */
export const HISTORY_VERSION = 16;
/** The maximum of each list. A longer list keeps its newest entries, so that a history of a million facts fits. */
const KEPT_MAX = 500;
const ORIGINS_MAX = 20;
/** What a run has paid for. A fork begins with nothing: the run that it continues has paid for the entries before. */
const NOTHING_PAID = { ownAttempts: 0, costUsd: null, waitedMs: 0 };
const NOTHING_EARLIER = { ...NOTHING_PAID, attempts: 0, waits: 0, others: 0 };

/** The history after one more fact. Undefined: the run has no first fact yet. */
export function foldRunHistory(
  previous: RunHistory | undefined,
  event: RunEvent,
): RunHistory | undefined {
  if (event.type === 'run.submitted') return newHistory(event, event.payload, null);
  if (event.type === 'run.forked') {
    const { submission, from } = event.payload;
    const { at } = event;
    const history = previous ?? newHistory(event, submission, from);
    const earlier = { ...history.earlier, ...NOTHING_PAID };
    const messages = continueMessages(history.messages);
    const begun = { submittedAt: at, outcome: null, lastAt: at, messages };
    const run = runId(event);
    const origins = [...history.origins, runOrigin(run, at, event.payload)].slice(-ORIGINS_MAX);
    const continued = { id: run, from, origins, earlier, stepIds: stepIds(submission) };
    return { ...history, ...begun, ...continued };
  }
  if (previous === undefined) return undefined;
  const messages = foldMessages(previous.messages, event);
  const current = { ...previous, messages, lastAt: event.at };
  switch (event.type) {
    case 'command.begun':
      return dropOldest({ ...current, ...commandBegun(current, event.payload, event.at) });
    case 'command.noted': {
      const { key, command, note } = event.payload;
      if (command === 'run') {
        const continued = { run: note.input.run, parent: current.id };
        const children = changeItem(current.children, key, (one) => ({ ...one, ...continued }));
        return { ...current, children };
      }
      if (command !== 'attempt') return current;
      return {
        ...current,
        attempts: changeItem(current.attempts, key, (one) => noteAttempt(one, note, event.at)),
      };
    }
    case 'command.ended':
      return {
        ...current,
        ...commandEnded(current, event.payload, event.at),
        accepted: acceptedAfter(current.accepted, current.questions, event.payload),
      };
    case 'signal.received': {
      const { signal } = event.payload;
      if (signal.kind === 'tell') return current;
      const words = isAgentSignal(signal) ? describeAgentSignal(signal) : null;
      const signals = [...current.signals, { kind: signal.kind, at: event.at, words }];
      return dropOldest({ ...current, signals });
    }
    case 'run.ended':
      return { ...current, outcome: event.payload.outcome };
    case 'command.cancelled':
      return current;
  }
}

function runId({ stream }: RunEvent): string {
  return runOfStream(stream) ?? stream;
}

function newHistory(event: RunEvent, submission: Submission, from: string | null): RunHistory {
  const { program, task, project, choice } = submission;
  return {
    id: runId(event),
    program,
    task,
    project,
    submittedAt: event.at,
    from,
    origins: [],
    choice: choice ?? null,
    setup: null,
    baseline: [],
    attempts: [],
    lacksKey: false,
    gateName: null,
    waits: [],
    questions: [],
    accepted: [],
    children: [],
    stepIds: stepIds(submission),
    steps: NO_STEP_RECORDS,
    signals: [],
    messages: NO_MESSAGES,
    cooling: [],
    earlier: NOTHING_EARLIER,
    outcome: null,
    lastAt: event.at,
  };
}

function commandBegun(
  { id: run, baseline, attempts, waits, questions, children, cooling, accepted }: RunHistory,
  { key, command, input }: CommandBegun,
  at: number,
): Partial<RunHistory> {
  switch (command) {
    case 'attempt':
      return {
        attempts: [...attempts, newAttemptHistory({ run, key }, input, at)],
        lacksKey: false,
        accepted: [],
      };
    case 'wait': {
      const { until, why } = input;
      const wait = { key, run, why, begunAt: at, until, endedAt: null, skipped: false };
      return { waits: [...waits, wait] };
    }
    case 'ask': {
      const raise = isMoneyQuestion(input) ? attempts.at(-1)?.raise : null;
      return { questions: [...questions, newQuestion(key, input, at, raise ?? null)] };
    }
    case 'run':
      return { children: [...children, newChild(run, key, input, at)] };
    case 'set-cooldown':
      return { cooling: withCooling(cooling, input, input.agent) };
    case 'baseline': {
      const begun = newBaselineRecord(key, input.name, at);
      return { baseline: [...baseline, begun].slice(-KEPT_MAX) };
    }
    case 'gate':
      return { gateName: input.name, accepted: acceptedWhenBegun(accepted, input) };
    case 'setup':
      return { setup: { isOpen: true, failed: false } };
    case 'finalize':
    case 'check-availability':
    case 'claim-item':
    case 'release-item':
    case 'send-message':
    case 'deliver-message':
    case 'broadcast':
    case 'prepare-step':
    case 'collect-step':
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
    case 'commit-work':
      return {};
  }
}

/** Drops the older half of each list if one has grown too long, and counts the dropped entries. */
function dropOldest(history: RunHistory): RunHistory {
  const { id, attempts, waits, questions, signals, earlier } = history;
  const isFull = [attempts, waits, questions, signals].some(({ length }) => length > KEPT_MAX);
  if (!isFull) return history;
  const [oldAttempts, oldWaits] = [attempts.slice(0, -KEPT_MAX / 2), waits.slice(0, -KEPT_MAX / 2)];
  const own = oldAttempts.filter(({ run }) => run === id);
  const half = -KEPT_MAX / 2;
  const newest = { questions: questions.slice(half), signals: signals.slice(half) };
  const others =
    questions.length - newest.questions.length + (signals.length - newest.signals.length);
  return {
    ...history,
    ...newest,
    attempts: attempts.slice(-KEPT_MAX / 2),
    waits: waits.slice(-KEPT_MAX / 2),
    earlier: {
      attempts: earlier.attempts + oldAttempts.length,
      ownAttempts: earlier.ownAttempts + own.length,
      costUsd: totalCost(own, earlier.costUsd).usd,
      waits: earlier.waits + oldWaits.length,
      waitedMs: oldWaits
        .filter(({ run }) => run === id)
        .reduce(
          (sum, { begunAt, endedAt }) => sum + ((endedAt ?? begunAt) - begunAt),
          earlier.waitedMs,
        ),
      others: earlier.others + others,
    },
  };
}

function commandEnded(history: RunHistory, ended: CommandEnded, at: number): Partial<RunHistory> {
  const { baseline, attempts, waits, questions, children, steps, cooling } = history;
  const { key, command, end } = ended;
  switch (command) {
    case 'attempt':
      // The question for the key says why it did not start.
      if (isKeylessStart(ended))
        return { attempts: attempts.filter((one) => one.key !== key), lacksKey: true };
      return { attempts: changeItem(attempts, key, (one) => endAttempt(one, end, at)) };
    case 'gate':
      return withGate(history, gateRecord(history.gateName ?? key, end, baseline, at));
    case 'baseline':
      return { baseline: changeItem(baseline, key, (one) => endBaseline(one, end, at)) };
    case 'check-availability':
      return end.kind === 'done' ? { cooling: withAvailability(cooling, end.result) } : {};
    case 'wait': {
      const skipped = end.kind === 'done' && end.result.skipped === true;
      return { waits: changeItem(waits, key, (one) => ({ ...one, endedAt: at, skipped })) };
    }
    case 'ask': {
      const answer = end.kind === 'done' && 'answer' in end.result ? end.result.answer : null;
      return { questions: changeItem(questions, key, (one) => ({ ...one, endedAt: at, answer })) };
    }
    case 'run':
      return { children: changeItem(children, key, (one) => endChild(one, end, at)) };
    case 'collect-step':
      return { steps: withCollected(steps, end) };
    case 'commit-work':
      return { steps: withCommit(steps, end) };
    case 'setup': {
      const failed = end.kind === 'done' && end.result.kind === 'failed';
      return { setup: { isOpen: false, failed } };
    }
    case 'finalize':
    case 'set-cooldown':
    case 'claim-item':
    case 'release-item':
    case 'send-message':
    case 'deliver-message':
    case 'broadcast':
    case 'prepare-step':
    case 'assess-change':
    case 'update-breaker':
    case 'open-base':
    case 'merge-work':
    case 'write-interfaces':
      return {};
  }
}

/** A gate checks the work of the last attempt, or of the steps of a workflow. */
function withGate({ program, attempts, steps }: RunHistory, gate: GateRecord): Partial<RunHistory> {
  if (program === WORKFLOW_PROGRAM) return { steps: withStepGate(steps, gate) };
  return { attempts: addGate(attempts, gate) };
}
