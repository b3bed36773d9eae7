/** Shows a run as it goes, and hands Ctrl-C on: the first stops it, the second kills it. */
import { describeError, isRefusal } from '../base/errors.ts';
import type { SupervisorLog } from '../attempts/supervisor-log.ts';
import { EMPTY_SUPERVISOR_LOG, foldSupervisorLog } from '../attempts/supervisor-log.ts';
import type { Client } from '../client/client.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { RunResult } from '../reports/run-result.ts';
import { runResult } from '../reports/run-result.ts';
import type { RunHistory } from '../reports/run-history.ts';
import { foldRunHistory } from '../reports/run-history.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import type { AfterRun } from './after-run.ts';
import { afterRun } from './after-run.ts';
import { exitCodeOf } from './exit-codes.ts';
import type { CliContext } from './cli-context.ts';
import { paint, printable } from './cli-context.ts';
import { StatusLine, describeStatus } from './status-line.ts';
import type { OwnerConnection } from './connect-owner.ts';
import { isQuietEvent, formatEvent } from './format/event-line.ts';
import { outputPrinter } from './show-output.ts';

const NOTHING_MORE: AfterRun = { requireGate: false, apply: false, json: false };

/** Words for a person; one value at the end; or every fact as it comes, and then that value. */
export type JsonOptions = boolean | 'stream';

export type WatchOptions = {
  readonly json: JsonOptions;
  /** All that the agents print, instead of their words alone. */
  readonly follow?: boolean;
};

/** Resolves with the exit code. An owner that dies is replaced, as long as the run has moved in between. */
export async function watchRun(
  context: CliContext,
  connection: OwnerConnection,
  view: RunView,
  { json, follow = false }: WatchOptions,
  after: AfterRun = NOTHING_MORE,
): Promise<number> {
  if (json === false)
    context.out(
      `${paint(context, 'bold', `Run ${view.id}`)}  ${printable(firstLine(view.task))}\n`,
    );
  await using live = new StatusLine(context, json === false);
  const watch = new Watch(context, connection.client, view, { json, follow }, live);
  const forget = context.onInterrupt(() => watch.interrupt());
  let outcome: RunOutcome;
  try {
    for (let diedAt: number | undefined; ;) {
      try {
        outcome = await watch.follow();
        break;
      } catch (error) {
        const { again } = connection;
        if (!isRefusal(error, 'owner.unreachable') || again === undefined) throw error;
        if (diedAt === watch.seen) throw error; // the next one died at the same place
        diedAt = watch.seen;
        context.err(paint(context, 'yellow', 'The owner died; another one takes the run up.\n'));
        watch.goOn(await again());
      }
    }
  } finally {
    forget();
  }
  await live[Symbol.asyncDispose]();
  if (json === false) ring(context);
  const code = await afterRun(context, watch.client, view.id, outcome, after);
  if (json !== false) await printResult(context, watch, code);
  return code;
}

/** Somebody may have looked away. */
function ring(context: CliContext): void {
  if (context.terminal.isTty) context.out('\u0007');
}

/** Whatever the command ends with is what the value says. */
async function printResult(context: CliContext, watch: Watch, code: number): Promise<void> {
  const result = await watch.result();
  context.out(`${JSON.stringify({ ...result, exit_code: code })}\n`);
}

class Watch {
  readonly #context: CliContext;
  readonly #view: RunView;
  readonly #json: JsonOptions;
  readonly #follow: boolean;
  readonly #live: StatusLine;
  #client: Client;
  #story: RunHistory | undefined;
  #lastTool: string | null = null;
  /** The seq of the last fact that was shown. */
  seen = 0;
  #log: SupervisorLog = EMPTY_SUPERVISOR_LOG;
  #interrupts = 0;

  constructor(
    context: CliContext,
    client: Client,
    view: RunView,
    { json, follow }: Required<WatchOptions>,
    live: StatusLine,
  ) {
    this.#context = context;
    this.#client = client;
    this.#view = view;
    this.#json = json;
    this.#follow = follow;
    this.#live = live;
  }

  /** The owner may have ended with the run; then what was seen of it has to do. */
  async result(): Promise<RunResult | undefined> {
    try {
      return await this.#client.result(this.#view.id);
    } catch (error) {
      const isGone = isRefusal(error, 'owner.unreachable') || isRefusal(error, 'owner.closing');
      if (!isGone || this.#story === undefined) throw error;
      const { outcome } = this.#story;
      return runResult(this.#story, {
        state: outcome?.kind ?? 'unknown',
        exitCode: outcome === null ? null : exitCodeOf(outcome),
        artifacts: [],
      });
    }
  }

  get client(): Client {
    return this.#client;
  }

  async follow(): Promise<RunOutcome> {
    const { id, submittedAt } = this.#view;
    const left = new AbortController();
    const isShown = this.#json === false || this.#follow;
    const shown = isShown ? this.#showPrinted(left.signal) : Promise.resolve();
    try {
      for await (const event of this.#client.followRun(id, this.seen)) {
        if (event.type === 'run.ended') await shown; // its last words come before its end
        this.#story = foldRunHistory(this.#story, event);
        this.#log = foldSupervisorLog(this.#log, event);
        if (this.#json === 'stream') this.#context.out(`${JSON.stringify(event)}\n`);
        if (this.#json === false) {
          for (const line of this.#log.lines)
            this.#live.print(
              `${' '.repeat(10)}${paint(this.#context, 'yellow', printable(line))}\n`,
            );
          if (!isQuietEvent(event))
            this.#live.print(formatEvent(this.#context, event, submittedAt));
        }
        this.seen = event.seq;
        this.#live.show((now) =>
          this.#story === undefined ? '' : describeStatus(this.#story, this.#lastTool, now),
        );
        if (event.type === 'run.ended') return event.payload.outcome;
      }
      throw new Error(`the stream of run ${id} ended without its end`);
    } finally {
      left.abort();
      await shown;
    }
  }

  /** Goes on with another owner, which has not heard a signal that the last one may have missed. */
  goOn(client: Client): void {
    this.#client = client;
    if (this.#interrupts > 0) this.#signal();
  }

  interrupt(): void {
    this.#interrupts += 1;
    const words =
      this.#interrupts === 1 ? 'Stopping; press Ctrl-C again to kill it.' : 'Killing it.';
    this.#context.err(`\n${words}\n`);
    this.#signal();
  }

  #signal(): void {
    const kind = this.#interrupts === 1 ? 'stop' : 'kill';
    this.#client.signal(this.#view.id, { kind }).catch((error: unknown) => {
      // It has ended already, or the next owner is told as soon as it is there.
      if (isRefusal(error, 'run.already-ended') || isRefusal(error, 'owner.unreachable')) return;
      this.#context.err(`It could not be told: ${describeError(error)}\n`);
    });
  }

  async #showPrinted(signal: AbortSignal): Promise<void> {
    const { err } = this.#context;
    const wish = { all: this.#follow, after: this.seen };
    try {
      for await (const { text, stream } of outputPrinter(
        this.#client,
        this.#view.id,
        wish,
        signal,
      )) {
        // What a program reads has nothing else in it.
        if (this.#json !== false) {
          err(printable(text));
          continue;
        }
        const style = stream === 'stderr' ? 'yellow' : 'dim';
        for (const line of printable(text).trimEnd().split('\n')) {
          if (line.startsWith('uses ')) this.#lastTool = line;
          this.#live.print(`${' '.repeat(10)}${paint(this.#context, style, line)}\n`);
        }
      }
    } catch (error) {
      // Words are for looking at; that they can't be had must not hide how the run goes on.
      if (signal.aborted || isRefusal(error, 'owner.unreachable')) return;
      if (!isRefusal(error, 'owner.closing'))
        err(`What it says can't be shown: ${describeError(error)}\n`);
    }
  }
}

function firstLine(task: string): string {
  const [line = ''] = task.split('\n', 1);
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
