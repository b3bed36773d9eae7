/** What a run's agents print, in whole lines: as their words, or all of it as it comes. */
import type { Client } from '../client/client.ts';
import type { OutputChunk } from '../protocol/api.ts';

export type Printed = Pick<OutputChunk, 'stream' | 'text'>;

/** Longer than this nobody's line is waited for. */
const LINE_CHARS_MAX = 64 * 1024;
/** Under this key the loop speaks, and the timeline shows that by itself. */
const OF_THE_LOOP = 'supervisor';

/** Of attempts that began after this fact, until the run ends. */
export function outputPrinter(
  client: Client,
  run: string,
  { all, after }: { readonly all: boolean; readonly after: number },
  signal: AbortSignal,
): AsyncIterable<Printed> {
  return all
    ? wholeLines(client.output(run, { follow: true, after }, signal))
    : client.words(run, after, signal);
}

/** Two streams that come in pieces must not be mixed within a line. */
export async function* wholeLines(
  pieces: AsyncIterable<OutputChunk>,
): AsyncGenerator<Printed, void> {
  const rests: Record<OutputChunk['stream'], string> = { stdout: '', stderr: '', calls: '' };
  const flush = function* (): Generator<Printed, void> {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (rests[stream] !== '') yield { stream, text: `${rests[stream]}\n` };
      rests[stream] = '';
    }
  };
  let last = '';
  for await (const { key, stream, text } of pieces) {
    if (key === OF_THE_LOOP) continue;
    if (key !== last) yield* flush();
    last = key;
    const all = rests[stream] + text;
    const end = all.length > LINE_CHARS_MAX ? all.length : all.lastIndexOf('\n') + 1;
    if (end > 0) yield { stream, text: all.slice(0, end) };
    rests[stream] = all.slice(end);
  }
  yield* flush();
}
