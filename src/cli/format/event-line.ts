/** Formats one event as one line: the time, and what happened. */
import { formatClockTime, withLocalTimes } from '../../base/format-time.ts';
import { plural } from '../../base/text.ts';
import type { Command, CommandEnded, CommandNoted, Result } from '../../protocol/commands.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { describeOutcome } from '../../protocol/words/outcome-words.ts';
import type { Signal } from '../../protocol/signal.ts';
import { isAgentSignal } from '../../protocol/signal.ts';
import { withoutRemedy } from '../../protocol/views/answer-advice.ts';
import { isContinueAnswer } from '../../protocol/views/money-question.ts';
import { describeAgentSignal, describeMessage } from '../../reports/describe-signal.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { describeBegun } from './begun-line.ts';
import { describeBaselineEvent } from './baseline-lines.ts';
import { outcomeStyle } from './outcome-style.ts';
import { gateTail, describeGate } from './gate-lines.ts';
import { describeMoved } from './moved-line.ts';
import { describeNote } from './note-line.ts';
import { describeSchedule } from './schedule-line.ts';
import { describeSubmitted } from './submitted-line.ts';

/** Where the text of a line begins, after the time. */
export const TEXT_COLUMN = 10;

type Style = Parameters<typeof paint>[1];

/** A screen that follows one run counts from its start: `sinceMs`. A list of the journal has the clock, as every list. */
export function formatEvent(
  context: CliContext,
  event: StoredEvent,
  sinceMs: number | 'clock',
): string {
  const [style, text] = describe(event);
  const when =
    sinceMs === 'clock'
      ? formatClockTime(event.at, context.clock.now())
      : `${((event.at - sinceMs) / 1000).toFixed(1)}s`.padStart(8);
  const words = withLocalTimes(printable(text), context.clock.now());
  const line = isQuoting(event)
    ? words.replaceAll('\n', `\n${' '.repeat(TEXT_COLUMN)}`)
    : words.replaceAll('\n', ' ');
  return `${paint(context, 'dim', when)}  ${paint(context, style, line)}\n${gateTail(context, event)}`;
}

/** The reason of a blocked run quotes lines of a setup or of an agent. */
function isQuoting(event: StoredEvent): boolean {
  return event.type === 'run.ended' && event.payload.outcome.kind === 'blocked';
}

/** What happened, in one sentence. */
export function eventText(event: StoredEvent): string {
  return describe(event)[1];
}

function describe(event: StoredEvent): readonly [Style, string] {
  return describeGate(event) ?? describeBaselineEvent(event) ?? describeEvent(event);
}

/** Whether the event is an internal step that succeeded, which does not matter to a person who waits for the end. */
export function isQuietEvent(event: StoredEvent): boolean {
  if (event.type === 'command.noted')
    return isBookkeeping(event.payload.note) || isPartOfCommand(event.payload);
  if (event.type === 'command.begun') return QUIET_STARTS.has(event.payload.command);
  if (event.type !== 'command.ended') return false;
  const { command, end } = event.payload;
  if (command === 'finalize') return end.kind === 'done' && end.result.kind !== 'unfinished';
  // The run of a step says what the step does.
  if (command === 'prepare-step') return end.kind === 'done' && end.result.kind === 'prepared';
  return QUIET_ENDS.has(command) && end.kind === 'done';
}

const QUIET_STARTS: ReadonlySet<string> = new Set([
  'check-availability',
  'finalize',
  'prepare-step',
  'collect-step',
  'update-breaker',
  'assess-change',
  'deliver-message',
]);
const QUIET_ENDS: ReadonlySet<string> = new Set([
  'check-availability',
  'set-cooldown',
  'collect-step',
  'update-breaker',
  'assess-change',
]);

/** The status line and the summary have the sum of these. */
const BOOKKEEPING: ReadonlySet<string> = new Set([
  'reserved',
  'spent',
  'session',
  'recorded',
  'turn',
  'sent',
]);

function isBookkeeping(note: CommandNoted['note']): boolean {
  return BOOKKEEPING.has(note.kind) || (note.kind === 'quota' && note.status === 'ok');
}

/** The end of a gate or of the setup says what it judged. Only a process without a sandbox is worth a line. */
function isPartOfCommand({ note }: CommandNoted): boolean {
  if (note.kind === 'planned' || note.kind === 'judges') return true;
  return note.kind === 'started' && note.sandbox !== 'none';
}

const NOTIFIED = {
  ended: 'has ended',
  asks: 'has a question',
  login: 'uses a login that is about to expire',
  paused: 'is paused, because its agent does not react',
} as const;

function toName(notifier: string | undefined): string {
  return notifier === undefined ? '' : ` to ${notifier}`;
}

function describeEvent(event: StoredEvent): readonly [Style, string] {
  switch (event.type) {
    case 'run.submitted':
      return ['dim', describeSubmitted(event.payload)];
    case 'run.forked':
      return ['dim', `continues run ${event.payload.from}`];
    case 'command.begun':
      return ['cyan', describeBegun(event.payload)];
    case 'command.noted':
      return ['dim', describeNote(event.payload)];
    case 'command.cancelled':
      return [
        'yellow',
        `${event.payload.key} is ${event.payload.how === 'ask' ? 'asked to exit' : 'killed'}`,
      ];
    case 'command.ended':
      return ended(event.payload);
    case 'signal.received':
      return ['yellow', describeSignal(event.payload.signal)];
    case 'run.ended': {
      const { kind, reason } = event.payload.outcome;
      return [outcomeStyle(kind), describeOutcome({ kind, reason })];
    }
    case 'owner.started':
      return [
        'dim',
        `an owner started (pid ${event.payload.pid}, version ${event.payload.version})`,
      ];
    case 'owner.stopped':
      return ['dim', `the owner stopped: ${event.payload.reason}`];
    case 'apply.begun': {
      const { run, files, branch, included = [] } = event.payload;
      const where = branch === null ? 'the project' : `the branch ${branch}`;
      const also =
        included.length === 0 ? '' : `, including ${included.join(', ')} as you approved`;
      return ['cyan', `run ${run}: applying ${plural(files, 'file')} to ${where}${also}`];
    }
    case 'apply.ended':
    case 'undo.ended':
      return ['cyan', `run ${event.payload.run}: ${event.payload.how}`];
    case 'apply.committed': {
      const { run, made, branch } = event.payload;
      const where = branch === null ? '' : ` on ${branch}`;
      return ['cyan', `run ${run}: committed as ${made.slice(0, 12)}${where}`];
    }
    case 'work.merged':
    case 'work.rolled-back':
      return ['cyan', describeMoved(event)];
    case 'undo.begun': {
      const { run, files } = event.payload;
      return ['cyan', `run ${run}: undoing its apply of ${plural(files, 'file')}`];
    }
    case 'prune.begun': {
      const { runs, agents = 0 } = event.payload;
      return [
        'dim',
        `deleting the files of ${plural(runs, 'old run')} and ${plural(agents, 'agent')}`,
      ];
    }
    case 'prune.ended': {
      const { runs, agents = 0, bytes, remaining } = event.payload;
      const whose = `${plural(runs, 'run')} and ${plural(agents, 'agent')}`;
      return [
        'dim',
        `deleted ${plural(bytes, 'byte')} of ${whose}; ${plural(remaining, 'item')} could not be deleted`,
      ];
    }
    case 'cooldown.set': {
      const { agent, until, reason } = event.payload;
      return [
        'yellow',
        `${agent} is cooling down until ${new Date(until).toISOString()}: ${reason}`,
      ];
    }
    case 'cooldown.cleared':
      return ['dim', `cooldown ended: ${event.payload.identities.join(', ')}`];
    case 'breaker.failed': {
      const { workflow, step, reason } = event.payload;
      return ['yellow', `step ${step} of workflow ${workflow} failed: ${reason}`];
    }
    case 'breaker.probed': {
      const { run, step } = event.payload;
      return ['dim', `run ${run} tries step ${step}, whose circuit breaker was open`];
    }
    case 'breaker.closed': {
      const { run, step } = event.payload;
      const who = run === undefined ? 'a person closed it' : `run ${run} passed the step`;
      return ['dim', `circuit breaker of step ${step}: ${who}`];
    }
    case 'schedule.added':
    case 'schedule.removed':
    case 'schedule.begun':
    case 'schedule.started':
    case 'schedule.refused':
    case 'schedule.skipped':
      return describeSchedule(event);
    case 'notification.begun': {
      const { run, about, to } = event.payload;
      return ['dim', `run ${run}: sending a notification${toName(to)} that it ${NOTIFIED[about]}`];
    }
    case 'notification.ended': {
      const { run, how, to } = event.payload;
      const style = how === 'delivered' ? 'dim' : 'yellow';
      return [style, `run ${run}: notification${toName(to)}: ${how}`];
    }
    case 'tree.snapshot':
      return ['dim', 'agent tree snapshot'];
    case 'monitor.noted':
      return [
        'dim',
        `the ${event.payload.monitor} monitor saved its state of ${event.payload.subject}`,
      ];
    case 'monitor.snapshot':
      return ['dim', 'monitor snapshot'];
    case 'tree.restarting': {
      const { supervisor, child, streak } = event.payload;
      return ['yellow', `${supervisor} restarts ${child} (${streak} in a row)`];
    }
  }
}

/** What a person asks of a run. */
const PERSON_SIGNALS = {
  stop: 'a person stops the run',
  kill: 'a person kills the run',
  pause: 'the run is paused',
  unpause: 'the run continues after a pause',
  'retry-now': 'a person ends the wait',
  next: 'a person asks for the next agent',
  takeover: 'a person takes the agent over',
} as const;

function describeSignal(signal: Signal): string {
  if (isAgentSignal(signal)) return describeAgentSignal(signal);
  if (signal.kind === 'tell') return describeMessage(signal.message);
  if (signal.kind === 'merge-queue') return describeQueueSignal(signal);
  if (signal.kind !== 'answer') return PERSON_SIGNALS[signal.kind];
  const { answer, budgetUsd, budgetTokens } = signal;
  const more = budgetUsd === undefined ? '' : ` (with $${budgetUsd} more)`;
  const cap = budgetTokens === undefined ? '' : describeTokens(answer, budgetTokens);
  return `answer: ${answer}${more}${cap}`;
}

const QUEUE_ACTIONS = { hold: 'holds', release: 'releases', skip: 'skips' } as const;

function describeQueueSignal({
  action,
  component,
}: Extract<Signal, { kind: 'merge-queue' }>): string {
  return `a person ${QUEUE_ACTIONS[action]} ${component ?? 'the merge queue'}`;
}

function describeTokens(answer: string, tokens: number): string {
  return isContinueAnswer(answer) ? ` (with ${tokens} tokens more)` : ` (up to ${tokens} tokens)`;
}

function ended({ key, command, end }: CommandEnded): readonly [Style, string] {
  switch (end.kind) {
    case 'interrupted':
      return ['yellow', `${key} was interrupted: the owner ended`];
    case 'defect':
      return ['red', `${key} failed with an internal error: ${end.message}`];
    case 'done':
      if (command === 'run') return childDone(key, end.result);
      if (command === 'deliver-message') return delivered(key, end.result);
      return done(key, end.result);
  }
}

function done(key: string, result: Result<Command>): readonly [Style, string] {
  if ('timedOut' in result) return ['yellow', `${key}: no person answered in time`];
  const kind = 'kind' in result ? result.kind : 'ended';
  const more = describeResult(result);
  const isKeyless = kind === 'failed' && 'reason' in result && result.reason === 'keys_missing';
  return [
    kind === 'failed' ? 'red' : 'cyan',
    [
      `${key} ${kind}`,
      ...(more === undefined ? [] : [isKeyless ? withoutRemedy(more) : more]),
    ].join(': '),
  ];
}

/** The key of a delivery has the ID of its message. */
function delivered(key: string, result: Result<'deliver-message'>): readonly [Style, string] {
  const id = /^message-([^-]+)/.exec(key)?.[1] ?? key;
  return result.kind === 'seen'
    ? ['cyan', `the agent has read message ${id}`]
    : ['yellow', `the agent has not read message ${id}: ${result.why}`];
}

function childDone(key: string, { run, outcome }: Result<'run'>): readonly [Style, string] {
  const subject = run === null ? 'no run was started' : `run ${run}`;
  return [
    outcome.kind === 'failed' ? 'red' : 'cyan',
    `${key} ${outcome.kind}: ${subject}: ${outcome.reason}`,
  ];
}

function describeResult(result: Result<Command>): string | undefined {
  if ('summary' in result) return result.summary === '' ? undefined : result.summary;
  if ('message' in result) return result.message;
  if ('name' in result) return result.name;
  return 'why' in result ? result.why : undefined;
}
