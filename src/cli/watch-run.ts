/** Shows a run as it goes, and hands Ctrl-C on: the first stops it, the second kills it. */
import { describeError, isRefusal } from '../base/errors.ts';
import type { Log } from '../attempts/log-lines.ts';
import { EMPTY_LOG, followLog } from '../attempts/log-lines.ts';
import type { Client } from '../client/client.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { RunView } from '../protocol/run-view.ts';
import type { AfterRun } from './after-run.ts';
import { afterRun } from './after-run.ts';
import type { Face } from './face.ts';
import { paint, printable } from './face.ts';
import type { Reached } from './reach.ts';
import { isQuiet, sayEvent } from './say-event.ts';

const NOTHING_MORE: AfterRun = { requireGate: false, apply: false, json: false };

/** Resolves with the exit code. An owner that dies is replaced, as long as the run has moved in between. */
export async function watchRun(
  face: Face,
  reached: Reached,
  view: RunView,
  json: boolean,
  after: AfterRun = NOTHING_MORE,
): Promise<number> {
  if (!json)
    face.out(`${paint(face, 'bold', `Run ${view.id}`)}  ${printable(firstLine(view.task))}\n`);
  const watch = new Watch(face, reached.client, view, json);
  const forget = face.onInterrupt(() => watch.interrupt());
  let outcome: RunOutcome;
  try {
    for (let diedAt: number | undefined; ;) {
      try {
        outcome = await watch.follow();
        break;
      } catch (error) {
        const { again } = reached;
        if (!isRefusal(error, 'owner.unreachable') || again === undefined) throw error;
        if (diedAt === watch.seen) throw error; // the next one died at the same place
        diedAt = watch.seen;
        face.err(paint(face, 'yellow', 'The owner died; another one takes the run up.\n'));
        watch.goOn(await again());
      }
    }
  } finally {
    forget();
  }
  return afterRun(face, watch.client, view.id, outcome, after);
}

class Watch {
  readonly #face: Face;
  readonly #view: RunView;
  readonly #json: boolean;
  #client: Client;
  /** The seq of the last fact that was shown. */
  seen = 0;
  #log: Log = EMPTY_LOG;
  #interrupts = 0;

  constructor(face: Face, client: Client, view: RunView, json: boolean) {
    this.#face = face;
    this.#client = client;
    this.#view = view;
    this.#json = json;
  }

  get client(): Client {
    return this.#client;
  }

  async follow(): Promise<RunOutcome> {
    const { id, submittedAt } = this.#view;
    const left = new AbortController();
    const shown = this.#json ? Promise.resolve() : this.#showWords(left.signal);
    try {
      for await (const event of this.#client.followRun(id, this.seen)) {
        if (event.type === 'run.ended') await shown; // its last words come before its end
        const { out } = this.#face;
        this.#log = followLog(this.#log, event);
        const lines = this.#json ? [] : this.#log.lines;
        for (const line of lines)
          out(`${' '.repeat(10)}${paint(this.#face, 'yellow', printable(line))}\n`);
        if (this.#json) out(`${JSON.stringify(event)}\n`);
        else if (!isQuiet(event)) out(sayEvent(this.#face, event, submittedAt));
        this.seen = event.seq;
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
    this.#face.err(`\n${words}\n`);
    this.#signal();
  }

  #signal(): void {
    const kind = this.#interrupts === 1 ? 'stop' : 'kill';
    this.#client.signal(this.#view.id, { kind }).catch((error: unknown) => {
      // It has ended already, or the next owner is told as soon as it is there.
      if (isRefusal(error, 'run.already-ended') || isRefusal(error, 'owner.unreachable')) return;
      this.#face.err(`It could not be told: ${describeError(error)}\n`);
    });
  }

  async #showWords(signal: AbortSignal): Promise<void> {
    const { out, err } = this.#face;
    try {
      for await (const { text, stream } of this.#client.words(this.#view.id, this.seen, signal)) {
        const style = stream === 'stderr' ? 'yellow' : 'dim';
        for (const line of printable(text).trimEnd().split('\n'))
          out(`${' '.repeat(10)}${paint(this.#face, style, line)}\n`);
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
