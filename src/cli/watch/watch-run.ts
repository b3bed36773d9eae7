/**
 * Shows a run while it works. The first Ctrl-C stops the run, the second kills it. A person who only looks on leaves
 * instead, and the run continues.
 */
import { describeError, isRefusal } from '../../base/errors.ts';
import type { SupervisorLog } from '../../attempts/supervisor-log.ts';
import { EMPTY_SUPERVISOR_LOG, foldSupervisorLog } from '../../attempts/supervisor-log.ts';
import type { Client } from '../../client/client.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RunResult } from '../../public-json/run-result.ts';
import { hasWork as leftWork } from '../../reports/failure-advice.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';
import { foldRunHistory } from '../../reports/runs/run-history.ts';
import { eventDocument } from '../../public-json/event-data.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView } from '../../protocol/views/run-view.ts';
import { adviceToAnswerRun } from '../../protocol/views/question-words.ts';
import { openQuestions } from '../../protocol/views/questions-of-run.ts';
import { askedLines } from '../format/asked-lines.ts';
import { withCommandsOnLines } from '../../reports/runs/run-summary.ts';
import type { AfterRun } from '../runs/after-run.ts';
import { isAppliedNext } from '../runs/after-run.ts';
import { concludeRun } from '../runs/conclude-run.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { LiveTurn } from './status-line.ts';
import { BelowQuestions } from './below-questions.ts';
import { StatusLine, describeStatus, foldLiveTurn } from './status-line.ts';
import type { OwnerConnection } from '../connect-owner.ts';
import { eventText, formatEvent, isQuietEvent, TEXT_COLUMN } from '../format/event-line.ts';
import { isToldByKey } from '../format/told-by-key.ts';
import { StepNames } from '../format/step-names.ts';
import { ToldOnce } from '../format/told-once.ts';
import { runTitle } from '../format/run-title.ts';
import { printJson } from '../json/print-json.ts';
import { readResult } from '../json/read-result.ts';
import { ProgressLines } from './show-progress.ts';
import { reportUndelivered } from './report-undelivered.ts';
import { OWNER_LOST } from './reconnect.ts';
import type { TerminalNotice } from './terminal-notice.ts';
import { openTerminalNotice } from './terminal-notice.ts';
import { asLeft } from './left-command.ts';
import { StopSignal } from './stop-signal.ts';
import type { JsonOptions, WatchOptions } from './watch-options.ts';
import { watchPreparation } from './watch-preparation.ts';
import { outputPrinter } from './show-output.ts';
import { printSummary } from './show-summary.ts';

/** A log says that a run is still being prepared if the owner has said so this many times, once a second. */
const PREPARING_SHOWN_AT = 5;

/** A person who waits at this screen types the commands somewhere else. */
const LEAVING =
  'Type this in another terminal. Ctrl-C stops the run. If you close this terminal, the run waits for you.';

const NOTHING_MORE: AfterRun = { requireGate: false, apply: false, json: false };

/** Resolves with the exit code. If the owner dies, connects to a new one, unless the run made no progress since. */
export async function watchRun(
  context: CliContext,
  connection: OwnerConnection,
  view: RunView,
  options: WatchOptions,
  after: AfterRun = NOTHING_MORE,
): Promise<number> {
  const { json, leave, quiet = false } = options;
  // First of all, because a signal without a listener would end the command and leave the run.
  let { interrupts = 0 } = options;
  let interrupt = (): void => void (interrupts += 1);
  const forget = leave === undefined ? context.onInterrupt(() => interrupt()) : () => {};
  if (json === false) context.out(runTitle(context, view));
  await using live = new StatusLine(context, json === false && !quiet);
  using notice = await openTerminalNotice(context, json === false);
  const watch = new Watch(context, connection.client, view, options, live, notice);
  interrupt = () => watch.interrupt();
  for (let nth = 1; nth <= interrupts; nth += 1) interrupt();
  let outcome: RunOutcome | undefined;
  try {
    for (let diedAt: number | undefined; ;) {
      try {
        outcome = await watch.follow();
        break;
      } catch (error) {
        if (leave?.signal.aborted === true) break; // a call that was under way then ends with an error
        const { again } = connection;
        if (!isRefusal(error, 'owner.unreachable') || again === undefined) throw error;
        if (diedAt === watch.seen) throw error; // the new owner died at the same fact
        diedAt = watch.seen;
        live.show(() => OWNER_LOST);
        live.printError(paint(context, 'yellow', 'The owner died. A new owner resumes the run.\n'));
        watch.continueWith(await again());
      }
    }
  } finally {
    forget();
    watch.close();
  }
  await live[Symbol.asyncDispose]();
  if (outcome === undefined) {
    const code = leave?.code() ?? EXIT.ok;
    context.err(`The run continues. Watch it again with: supervisor attach ${view.id}\n`);
    if (json !== false) printJson(context, asLeft(await watch.result(), code));
    return code;
  }
  if (json === false) {
    await printSummary(context, watch, isAppliedNext(outcome, after));
    notice.ended();
  }
  const hasWork = watch.history === undefined || leftWork(watch.history.attempts);
  const accepted = watch.history?.accepted ?? [];
  const wanted = { ...after, json: json !== false, hasWork, accepted };
  const conclusion = await concludeRun(context, watch.client, view.id, outcome, wanted);
  await reportUndelivered(context, watch.client, view.id, leave === undefined);
  if (json !== false) {
    const result = await watch.result();
    printJson(context, { ...result, ...conclusion, error: result.error ?? conclusion.error });
  }
  return conclusion.exit_code;
}

class Watch {
  readonly #context: CliContext;
  readonly #view: RunView;
  readonly #json: JsonOptions;
  readonly #follow: boolean;
  readonly #verbose: boolean;
  readonly #quiet: boolean;
  readonly #progress: ProgressLines;
  readonly #leave: AbortSignal | undefined;
  readonly #live: StatusLine;
  readonly #notice: TerminalNotice;
  #client: Client;
  #history: RunHistory | undefined;
  /** The run as its facts describe it so far. */
  #folded: RunView | undefined;
  #lastTool: string | null = null;
  #turn: LiveTurn | null = null;
  /** Why the agent does not work yet. */
  #preparing: string | null = null;
  /** The seq of the last fact that was shown. */
  seen = 0;
  #log: SupervisorLog = EMPTY_SUPERVISOR_LOG;
  #interrupts = 0;
  readonly #below: BelowQuestions;
  readonly #stop: StopSignal;
  readonly #told = new ToldOnce();
  readonly #names = new StepNames((page) => this.#client.events(page));

  constructor(
    context: CliContext,
    client: Client,
    view: RunView,
    { json, follow = false, verbose = false, quiet = false, leave }: WatchOptions,
    live: StatusLine,
    notice: TerminalNotice,
  ) {
    this.#context = context;
    this.#client = client;
    this.#view = view;
    this.#json = json;
    this.#follow = follow;
    this.#verbose = verbose;
    this.#quiet = quiet;
    this.#progress = new ProgressLines(context.err);
    this.#leave = leave?.signal;
    this.#live = live;
    this.#notice = notice;
    this.#below = new BelowQuestions(view, {
      tell: (asked, words) => {
        if (json !== false) return context.err(askedLines(context, view.id, asked));
        for (const line of words) this.#printWords('yellow', printable(line));
        if (leave === undefined) this.#printWords('dim', LEAVING);
      },
      changed: () => this.#call(),
      printError: (text) => this.#live.printError(text),
    });
    this.#stop = new StopSignal({
      ...{ clock: context.clock, run: view.id, client: () => this.#client },
      tell: (text) => this.#live.printError(`${text}\n`),
    });
  }

  result(): Promise<RunResult> {
    return readResult(this.#client, this.#view.id, { history: this.#history, view: this.#folded });
  }

  get history(): RunHistory | undefined {
    return this.#history;
  }

  get client(): Client {
    return this.#client;
  }

  /** Undefined: the person left. */
  async follow(): Promise<RunOutcome | undefined> {
    const { id, submittedAt } = this.#view;
    const left = new AbortController();
    const isText = this.#json === false && !this.#quiet;
    const shown = isText || this.#follow ? this.#showOutput(left.signal) : undefined;
    const preparing = isText ? this.#showPreparation(left.signal) : undefined;
    const asked = this.#quiet ? undefined : this.#below.show(this.#client, left.signal);
    try {
      for await (const event of this.#client.followRun(id, this.seen, this.#leave)) {
        if (event.type === 'run.ended') await shown; // the agent's last output comes before the end of the run
        this.#history = foldRunHistory(this.#history, event);
        this.#folded = foldRunView(this.#folded, event);
        this.#turn = foldLiveTurn(this.#turn, event);
        this.#log = foldSupervisorLog(this.#log, event);
        const named = await this.#names.named(event);
        if (this.#json === 'stream')
          printJson(this.#context, eventDocument(event, eventText(named)));
        if (this.#json === true && !this.#quiet && this.#folded !== undefined)
          this.#progress.show(this.#folded);
        const isEnd = event.type === 'run.ended';
        if (isText || (isEnd && this.#json === false)) this.#print(named, submittedAt);
        this.seen = event.seq;
        this.#live.show((now) => this.#describe(now));
        // An older question may have its answer already.
        if (this.#folded !== undefined && event.seq >= this.#view.seq) this.#call();
        if (isEnd) return event.payload.outcome;
      }
      if (this.#leave?.aborted === true) return undefined;
      throw new Error(`the event stream of run ${id} ended before the run`);
    } finally {
      left.abort();
      await Promise.all([shown, preparing, asked]);
    }
  }

  /** The bell calls for each open question once. */
  #call(): void {
    this.#notice.show([...(this.#folded ? openQuestions(this.#folded) : []), ...this.#below.open]);
  }

  #describe(now: number): string {
    const doing = this.#preparing ?? this.#lastTool;
    const columns = this.#context.terminal.width - 1;
    return describeStatus(this.#history, doing, now, columns, this.#turn);
  }

  #print(event: RunEvent, submittedAt: number): void {
    if (this.#interrupts > 0 && !this.#verbose && isToldByKey(event)) return;
    for (const line of this.#log.lines) this.#printWords('yellow', printable(line));
    if (this.#verbose || !isQuietEvent(event))
      this.#live.print(formatEvent(this.#context, this.#asShown(event), submittedAt));
    const isQuestion = event.type === 'command.begun' && event.payload.command === 'ask';
    // An older question may have its answer already.
    if (!isQuestion || this.#folded === undefined || event.seq < this.#view.seq) return;
    const advice = adviceToAnswerRun(this.#folded) ?? '';
    if (eventText(event).includes(advice)) return; // a question about keys says it itself
    for (const line of withCommandsOnLines(advice).split('\n')) this.#printWords('yellow', line);
    if (this.#leave === undefined) this.#printWords('dim', LEAVING);
  }

  #asShown(event: RunEvent): RunEvent {
    if (this.#verbose || this.#follow || this.#history === undefined) return event;
    return this.#told.withoutRepetition(event, this.#history);
  }

  /** On a terminal, the status line shows it. Otherwise it is one line, so that a log does not grow. */
  #showPreparation(signal: AbortSignal): Promise<void> {
    const ports = {
      clock: this.#context.clock,
      client: () => this.#client,
      history: () => this.#history,
      show: (reason: string | null, times: number) => {
        this.#preparing = reason;
        if (reason !== null && times === PREPARING_SHOWN_AT && !this.#context.terminal.isTty)
          this.#printWords('dim', printable(reason));
      },
    };
    return watchPreparation(this.#view.id, ports, signal);
  }

  /** Continues with another owner. A signal that the last owner may have missed is sent again. */
  continueWith(client: Client): void {
    this.#client = client;
    if (this.#interrupts > 0) this.#signal();
  }

  interrupt(): void {
    this.#interrupts += 1;
    const text =
      this.#interrupts === 1
        ? 'Stopping the run. Press Ctrl-C again to kill it.'
        : 'Killing the run.';
    this.#live.printError(`\n${text}\n`);
    this.#signal();
  }

  #signal(): void {
    void this.#stop.send(this.#interrupts === 1 ? 'stop' : 'kill');
  }

  /** The run has ended, or the person has left. */
  close(): void {
    this.#stop.close();
  }

  /** A line that has no time of its own: it belongs to the event above it. */
  #printWords(style: 'dim' | 'yellow', line: string): void {
    this.#live.print(`${' '.repeat(TEXT_COLUMN)}${paint(this.#context, style, line)}\n`);
  }

  async #showOutput(signal: AbortSignal): Promise<void> {
    const options = { all: this.#follow, after: this.seen };
    try {
      for await (const { text, stream } of outputPrinter(
        this.#client,
        this.#view.id,
        options,
        signal,
      )) {
        // With --json, standard output contains only JSON.
        if (this.#json !== false) {
          this.#context.err(printable(text));
          continue;
        }
        const style = stream === 'stderr' ? 'yellow' : 'dim';
        for (const line of printable(text).trimEnd().split('\n')) {
          if (line.startsWith('uses ')) this.#lastTool = line;
          this.#told.add(line);
          this.#printWords(style, line);
        }
      }
    } catch (error) {
      // The output is only for reading. If it can't be shown, the events of the run still are.
      if (signal.aborted || isRefusal(error, 'owner.unreachable')) return;
      if (!isRefusal(error, 'owner.closing'))
        this.#live.printError(`Could not show the agent's output: ${describeError(error)}\n`);
    }
  }
}
