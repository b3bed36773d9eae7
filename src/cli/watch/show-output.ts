/** The output of a run's agents, in whole lines: as readable text, or as the raw stream. */
import type { Client } from '../../client/client.ts';
import type { OutputChunk } from '../../protocol/api.ts';

export type Printed = Pick<OutputChunk, 'stream' | 'text'>;

/** A longer line is printed in pieces. */
const LINE_CHARS_MAX = 64 * 1024;
/** Supervisor's own log lines have this key. The timeline shows those events already. */
const SUPERVISOR_KEY = 'supervisor';

/** Prints the output of attempts that began after the fact `after`, until the run ends. */
export function outputPrinter(
  client: Client,
  run: string,
  { all, after }: { readonly all: boolean; readonly after: number },
  signal: AbortSignal,
): AsyncIterable<Printed> {
  return all
    ? wholeLines(client.output.raw(run, { follow: true, after }, signal))
    : client.output.words(run, after, signal);
}

/** Stdout and stderr arrive in pieces. This joins them into lines, so that the two never mix within a line. */
export async function* wholeLines(
  pieces: AsyncIterable<OutputChunk>,
): AsyncGenerator<Printed, void> {
  const unfinished: Record<OutputChunk['stream'], string> = { stdout: '', stderr: '', calls: '' };
  const flush = function* (): Generator<Printed, void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (unfinished[stream] !== '') yield { stream, text: `${unfinished[stream]}\n` };
      unfinished[stream] = '';
    }
  };
  let last = '';
  for await (const { key, stream, text } of pieces) {
    if (key === SUPERVISOR_KEY) continue;
    if (key !== last) yield* flush();
    last = key;
    const all = unfinished[stream] + text;
    const end = all.length > LINE_CHARS_MAX ? all.length : all.lastIndexOf('\n') + 1;
    if (end > 0) yield { stream, text: all.slice(0, end) };
    unfinished[stream] = all.slice(end);
  }
  yield* flush();
}
