/**
 * Records the calls of a run: one line of JSON each, bounded in size and without secrets. It runs beside the traffic
 * and never delays it. Calls that it cannot keep up with are left out and counted.
 */
import type { Instant } from '../../base/clock.ts';
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { CallAbout, CallEndKind } from '../gateway-facts.ts';
import type { ModelAnswer } from '../wires/wire.ts';

export type CallRecord = {
  readonly at: Instant;
  readonly call: CallAbout;
  readonly path: string;
  /** The body of the request, decompressed. */
  readonly request: string;
  readonly status: number | null;
  readonly end: CallEndKind;
  /** The assembled answer, so that a secret cannot hide by being split between two events. */
  readonly answer: ModelAnswer | null;
};

export type RecordingPorts = {
  /** Removes secrets from a text of any size. */
  readonly redact: (text: string) => Promise<string>;
  /** Appends one line. A rejection ends the recording, never the traffic. */
  readonly write: (line: string) => Promise<void>;
  readonly queueMax?: number;
  readonly textCharsMax?: number;
  readonly bytesMax?: number;
};

export type Recording = {
  /** False if the call is left out. */
  record(call: CallRecord): boolean;
  /** Resolves when every accepted call is written. */
  close(): Promise<{
    readonly written: number;
    readonly leftOut: number;
    readonly failure?: unknown;
  }>;
};

const MB = 1_000_000;

export function recordCalls(ports: RecordingPorts): Recording {
  const { redact, write, queueMax = 64, textCharsMax = 64_000, bytesMax = 64 * MB } = ports;
  const queue = new BoundedQueue<CallRecord>(queueMax);
  const tally: { written: number; leftOut: number; failure?: unknown } = { written: 0, leftOut: 0 };
  let bytes = 0;

  const renderLine = async ({ answer, ...call }: CallRecord): Promise<string> => {
    const request = clip(await redact(call.request), textCharsMax);
    const redacted = answer === null ? null : JSON.parse(await redact(JSON.stringify(answer)));
    return `${JSON.stringify({ ...call, request, requestChars: call.request.length, answer: redacted })}\n`;
  };
  const work = async (): Promise<void> => {
    for await (const call of queue) {
      const line = await renderLine(call);
      bytes += line.length;
      if (bytes > bytesMax) tally.leftOut += 1;
      else {
        await write(line);
        tally.written += 1;
      }
    }
  };
  const done = work().catch((error: unknown) => {
    tally.failure = error; // `close` reports it, because a full disk must not stop an agent
    queue.close();
  });

  return {
    record: (call) => {
      const accepted = bytes <= bytesMax && queue.offer(call);
      if (!accepted) tally.leftOut += 1;
      return accepted;
    },
    close: async () => {
      queue.close();
      await done;
      return tally;
    },
  };
}

/** Keeps the beginning and the end, cut at word boundaries so that no partial secret remains. */
function clip(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const head = text.slice(0, Math.floor(charsMax / 4)).replace(/[^\s"]{0,500}$/, '');
  const tail = text.slice(-Math.floor((charsMax * 3) / 4)).replace(/^[^\s"]{0,500}/, '');
  return `${head} … ${tail}`;
}
