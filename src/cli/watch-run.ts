/** Shows a run as it goes, and hands Ctrl-C on: the first stops it, the second kills it. */
import { isRefusal } from '../base/errors.ts';
import type { Client } from '../client/client.ts';
import type { RunView } from '../protocol/run-view.ts';
import { exitCodeOf } from './exit-codes.ts';
import type { Face } from './face.ts';
import { paint, printable } from './face.ts';
import { sayEvent } from './say-event.ts';

export async function watchRun(
  face: Face,
  client: Client,
  view: RunView,
  json: boolean,
): Promise<number> {
  if (!json)
    face.out(`${paint(face, 'bold', `Run ${view.id}`)}  ${printable(firstLine(view.task))}\n`);
  const forget = passOnInterrupts(face, client, view.id);
  const output = new AbortController();
  const shown = json ? Promise.resolve() : showOutput(face, client, view.id, output.signal);
  try {
    for await (const event of client.followRun(view.id, 0)) {
      if (json) face.out(`${JSON.stringify(event)}\n`);
      if (event.type === 'run.ended') await shown; // its last words come before its end
      if (!json) face.out(sayEvent(face, event, view.submittedAt));
      if (event.type === 'run.ended') return exitCodeOf(event.payload.outcome);
    }
    throw new Error(`the stream of run ${view.id} ended without its end`);
  } finally {
    output.abort();
    forget();
    await shown;
  }
}

function passOnInterrupts(face: Face, client: Client, run: string): () => void {
  let count = 0;
  return face.onInterrupt(() => {
    count += 1;
    const kind = count === 1 ? 'stop' : 'kill';
    face.err(count === 1 ? '\nStopping; press Ctrl-C again to kill it.\n' : '\nKilling it.\n');
    client.signal(run, { kind }).catch((error: unknown) => {
      if (!isRefusal(error, 'run.already-ended'))
        face.err(`It could not be told: ${String(error)}\n`);
    });
  });
}

async function showOutput(
  face: Face,
  client: Client,
  run: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { text, stream } of client.output(run, true, signal)) {
      const shown = printable(text);
      face.out(stream === 'stderr' ? paint(face, 'yellow', shown) : paint(face, 'dim', shown));
    }
  } catch (error) {
    // Output is for looking at; that it can't be had must not hide how the run goes on.
    if (!signal.aborted) face.err(`The output can't be shown: ${String(error)}\n`);
  }
}

function firstLine(task: string): string {
  const [line = ''] = task.split('\n', 1);
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
