import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { ChannelFrame } from './frames.ts';
import { FrameReader } from './frames.ts';

type Terms = {
  readonly bytesMax: number;
  /** Reads at most this many frames in a second. Faster frames wait on the other side. */
  readonly pace?: { readonly clock: Clock; readonly framesMax: number };
};

const PACE_MS = 1000;

/** Passes on every frame of a stream, one after the other. Resolves at its end, and rejects if `take` does. */
export async function readChannelFrames(
  stream: Readable,
  { bytesMax, pace }: Terms,
  take: (frame: ChannelFrame) => Promise<void> | void,
): Promise<void> {
  const reader = new FrameReader(bytesMax);
  let since = pace?.clock.elapsedMs() ?? 0;
  let frames = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (const frame of reader.push(chunk)) {
      await take(frame);
      frames += 1;
    }
    if (pace === undefined) continue;
    const passedMs = pace.clock.elapsedMs() - since;
    if (frames >= pace.framesMax && passedMs < PACE_MS) await pace.clock.sleep(PACE_MS - passedMs);
    if (frames < pace.framesMax && passedMs < PACE_MS) continue;
    since = pace.clock.elapsedMs();
    frames = 0;
  }
}
