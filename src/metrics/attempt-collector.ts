/**
 * Collects a record of every attempt that has ended, from the facts of all runs. It counts in place: each fact costs the
 * same, however many records there are.
 */
import type { CommandBegun, CommandEnd, CommandEnded, Input } from '../protocol/commands.ts';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';
import type { RunEvent, StoredEvent } from '../protocol/event.ts';
import type { Submission } from '../protocol/run-submission.ts';
import { isRunEvent, runOfStream } from '../protocol/streams.ts';
import { endAttempt, newAttemptHistory, noteAttempt } from '../reports/runs/attempt-history.ts';
import type { EndedAttempt } from './ended-attempt.ts';
import type { OpenRun } from './open-run.ts';
import { closeCalls, noteCall, openRun } from './open-run.ts';

/** The state of the fold without its records, as plain data. */
export type CollectorState = {
  readonly open: Readonly<Record<string, OpenRun>>;
  /** The place of the first record that is kept. */
  readonly first: number;
};

/** A run starts such an attempt because the one before it failed. */
const RETRIES: ReadonlySet<string> = new Set<Input<'attempt'>['why']['kind']>([
  'retry',
  'switch',
  'restart',
  'interrupted',
  'cooled-down',
  'gate',
  'new-session',
]);

export class AttemptCollector {
  readonly #open: Map<string, OpenRun>;
  readonly #records: EndedAttempt[];
  readonly #max: number;
  /** The place of `#records[0]`: records have the same place for ever, and old ones are dropped. */
  #first: number;
  /** The lowest place that changed since the last look. */
  #changedFrom = Infinity;

  constructor(max: number, state?: CollectorState, records: readonly EndedAttempt[] = []) {
    this.#max = max;
    this.#open = new Map(Object.entries(structuredClone(state?.open ?? {})));
    this.#first = state?.first ?? 0;
    this.#records = [...records];
  }

  get records(): readonly EndedAttempt[] {
    return this.#records;
  }

  /** How many records were dropped because there are too many. */
  get first(): number {
    return this.#first;
  }

  state(): CollectorState {
    return { open: Object.fromEntries(this.#open), first: this.#first };
  }

  /** The lowest place whose record is new or changed since the last call. Infinity: none. */
  takeChanged(): number {
    const changed = this.#changedFrom;
    this.#changedFrom = Infinity;
    return changed;
  }

  count(event: StoredEvent): void {
    if (!isRunEvent(event)) return;
    const run = runOfStream(event.stream) ?? event.stream;
    if (event.type === 'run.submitted') return this.#submitted(run, event.payload, event.at);
    if (event.type === 'run.forked')
      return this.#submitted(run, event.payload.submission, event.at);
    const open = this.#open.get(run);
    if (open === undefined) return;
    this.#countIn(open, run, event);
    open.lastAt = event.at;
  }

  #submitted(run: string, submission: Submission, at: number): void {
    const parent =
      submission.parent === undefined ? undefined : this.#open.get(submission.parent.run);
    this.#open.set(run, openRun(submission, parent, at));
  }

  #countIn(open: OpenRun, run: string, event: RunEvent): void {
    switch (event.type) {
      case 'command.begun':
        return this.#begun(open, run, event.payload, event.at);
      case 'command.noted': {
        const { command, note } = event.payload;
        if (command !== 'attempt' || open.attempt === null) return;
        open.attempt.history = noteAttempt(open.attempt.history, note, event.at);
        return noteCall(open.attempt, note, event.at);
      }
      case 'command.ended':
        return this.#ended(open, run, event.payload, event.at);
      case 'run.ended':
        return void this.#open.delete(run);
      case 'run.submitted':
      case 'run.forked':
      case 'command.cancelled':
      case 'signal.received':
        return;
    }
  }

  #begun(open: OpenRun, run: string, { key, command, input }: CommandBegun, at: number): void {
    if (command === 'wait' && input.reason !== 'timer') open.waits[key] = at;
    if (command === 'gate' && input.warns !== true) {
      const judged = input.work === undefined ? open.last : (open.children[input.work.run] ?? null);
      if (judged !== null) open.gates[key] = judged;
    }
    if (command === 'attempt')
      open.attempt = {
        history: newAttemptHistory({ run, key }, input, at),
        queuedMs: Math.max(0, at - open.lastAt),
        model: input.agent.model ?? null,
        calls: {},
        busySince: null,
        modelMs: null,
      };
  }

  #ended(open: OpenRun, run: string, { key, command, end }: CommandEnded, at: number): void {
    const begunAt = open.waits[key];
    if (command === 'wait' && begunAt !== undefined) {
      open.throttledMs += Math.max(0, at - begunAt);
      delete open.waits[key];
    }
    const judged = open.gates[key];
    if (command === 'gate' && judged !== undefined) {
      this.#judge(judged, end);
      delete open.gates[key];
    }
    if (command === 'attempt') this.#attemptEnded(open, run, end, at);
  }

  #attemptEnded(open: OpenRun, run: string, end: CommandEnd<'attempt'>, at: number): void {
    const { attempt } = open;
    if (attempt === null) return;
    closeCalls(attempt, at);
    const history = endAttempt(attempt.history, end, at);
    const { usage, counted, failure, startedAt } = history;
    const { inputTokens, outputTokens } = usage;
    const reported =
      inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens;
    open.last = this.#first + this.#records.length;
    this.#add({
      run,
      endedAt: at,
      role: open.role,
      cli: history.agentCli,
      agent: history.agentId,
      model: attempt.model,
      task: open.task,
      workflow: open.workflow,
      step: open.step,
      end: history.end ?? 'interrupted',
      reason: failure?.reason ?? null,
      category: failure?.category ?? null,
      verdict: null,
      isRetry: RETRIES.has(history.why.kind),
      leftDefault: open.leftDefault,
      durationMs: Math.max(0, at - startedAt),
      modelMs: attempt.modelMs,
      throttledMs: open.throttledMs,
      queuedMs: attempt.queuedMs,
      tokens: counted?.tokens ?? reported,
      costUsd: usage.costUsd,
    });
    open.attempt = null;
    open.throttledMs = 0;
    const parent = open.parent === null ? undefined : this.#open.get(open.parent);
    if (parent !== undefined) parent.children[run] = open.last;
  }

  #add(record: EndedAttempt): void {
    this.#records.push(record);
    this.#changedFrom = Math.min(this.#changedFrom, this.#first + this.#records.length - 1);
    if (this.#records.length < 2 * this.#max) return;
    // Rarely, so that it costs nothing for each record.
    this.#first += this.#records.length - this.#max;
    this.#records.splice(0, this.#records.length - this.#max);
  }

  /** A red gate stays: the work is judged by all of its gates. An interrupted gate says nothing. */
  #judge(place: number, end: CommandEnd<'gate'>): void {
    const record = this.#records[place - this.#first];
    if (record === undefined || end.kind !== 'done' || record.verdict === 'red') return;
    const verdict = isGreen(end.result) ? 'green' : 'red';
    if (record.verdict === verdict) return;
    this.#records[place - this.#first] = { ...record, verdict };
    this.#changedFrom = Math.min(this.#changedFrom, place);
  }
}

function isGreen({ kind }: GateOutcome): boolean {
  return kind === 'passed';
}
