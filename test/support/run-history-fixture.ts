/** The history of a run as a list of facts, for tests of reports. */
import type { NewRunEvent, RunEvent } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { RunOutcome } from '../../src/protocol/outcome.ts';
import type { RunHistory } from '../../src/reports/runs/run-history.ts';
import { foldRunHistory } from '../../src/reports/runs/run-history.ts';
import type { CommandEnd } from '../../src/protocol/commands.ts';
import { runEvent } from './run-event.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Seconds since the start, and the event. */
export type RecordedRun = readonly [second: number, event: NewRunEvent];

const RUN = '0123456789';

function facts(reported: readonly RecordedRun[], run = RUN): readonly RunEvent[] {
  return reported.map(([second, event], index) => ({
    ...event,
    id: index + 1,
    stream: runStream(run),
    seq: index + 1,
    v: 1,
    at: second * 1000,
  }));
}

export function historyOfFacts(reported: readonly RecordedRun[]): RunHistory {
  const story = facts(reported).reduce<RunHistory | undefined>(foldRunHistory, undefined);
  if (story === undefined) throw new Error('a run begins with its submission');
  return story;
}

/** The history of a run that continues the first one from its last fact. */
export function historyOfFork(
  first: readonly RecordedRun[],
  id: string,
  second: readonly RecordedRun[],
  before: RunHistory = historyOfFacts(first),
): RunHistory {
  const story = facts(second, id).reduce<RunHistory | undefined>(foldRunHistory, before);
  if (story === undefined) throw new Error('a fork has a history');
  return story;
}

export function forked(usdBefore = 0, from = RUN): NewRunEvent {
  const before = { tokens: 10, usd: usdBefore, calls: 1, wallMs: 0 };
  const payload = { from, seq: 1, submission: {}, budget: { before } };
  return runEvent({ type: 'run.forked', payload });
}

export function submitted(task = 'fix the test', more: Fields = {}): NewRunEvent {
  // A workflow has at least a definition. Its steps matter to few tests.
  const isWorkflow = more['program'] === 'workflow';
  const settings = isWorkflow ? { workflow: { definition: { steps: {} } } } : {};
  const payload = { program: 'attempts', task, project: '/home/me/app', settings, ...more };
  return runEvent({ type: 'run.submitted', payload });
}

export function begins(key: string, command: string, input: Fields = {}): NewRunEvent {
  const payload = { key, command, input: { ...input }, limits: [] };
  return runEvent({ type: 'command.begun', payload });
}

export function attempt(
  number: number,
  id: string,
  why?: Fields,
  cli = id,
  more: Fields = {},
): NewRunEvent {
  const agent = { id, cli, args: [], configDir: null, model: null };
  const reason = why ?? { kind: number === 1 ? 'first' : 'interrupted' };
  const input = { agent, why: reason, resume: null, resumePrompt: null, ...more };
  return begins(`attempt-${number}`, 'attempt', input);
}

export function notes(key: string, note: Fields): NewRunEvent {
  return runEvent({ type: 'command.noted', payload: { key, note: { ...note } } });
}

export function ends(key: string, end: CommandEnd | Fields): NewRunEvent {
  const isEnd = 'kind' in end && (end['kind'] === 'interrupted' || end['kind'] === 'defect');
  const reported = isEnd ? (end as CommandEnd) : { kind: 'done' as const, result: { ...end } };
  return runEvent({ type: 'command.ended', payload: { key, end: reported } });
}

export function ended(kind: RunOutcome['kind'], reason: string): NewRunEvent {
  return { type: 'run.ended', payload: { outcome: { kind, reason } } };
}

export function limited(message: string, resetAt: number | null = null): Fields {
  const evidence = [{ source: 'gateway', line: 'HTTP 429 rate_limit_error', rule: 'http-429' }];
  const failure = {
    type: 'rate_limit',
    category: 'cli_error',
    recovery: 'transient',
    concerns: 'identity',
    coolsDown: true,
    reason: 'rate_limited',
    message,
    resetAt,
    evidence,
  };
  return { kind: 'failed', reason: 'rate_limited', message, failure, exit: 1 };
}
