/**
 * A recording of the calls, for the capsule of a run: one line of JSON each, bounded, and without
 * any secret. It works behind the traffic and never holds it up; what it can't keep up with it
 * leaves out and counts.
 */
import type { Instant } from '../../base/clock.ts';
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { CallAbout, CallEndKind } from '../gateway-facts.ts';
import type { ModelAnswer } from '../wires/wire.ts';

export type CallRecord = {
  readonly at: Instant;
  readonly call: CallAbout;
  readonly path: string;
  /** The body of the request, unpacked. */
  readonly request: string;
  readonly status: number | null;
  readonly end: CallEndKind;
  /** What was answered, put together: a secret can't hide in the seams between two events. */
  readonly answer: ModelAnswer | null;
};

export type RecordingPorts = {
  /** Takes secrets out of a text of any size. */
  readonly redact: (text: string) => Promise<string>;
  /** Appends one line. A rejection ends the recording, never the traffic. */
  readonly write: (line: string) => Promise<void>;
  readonly queueMax?: number;
  readonly textCharsMax?: number;
  readonly bytesMax?: number;
};

export type Recording = {
  /** False when the call is left out. */
  record(call: CallRecord): boolean;
  /** Resolves when all that was taken is written. */
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

  const lineOf = async ({ answer, ...call }: CallRecord): Promise<string> => {
    const request = clip(await redact(call.request), textCharsMax);
    const said = answer === null ? null : JSON.parse(await redact(JSON.stringify(answer)));
    return `${JSON.stringify({ ...call, request, requestChars: call.request.length, answer: said })}\n`;
  };
  const work = async (): Promise<void> => {
    for await (const call of queue) {
      const line = await lineOf(call);
      bytes += line.length;
      if (bytes > bytesMax) tally.leftOut += 1;
      else {
        await write(line);
        tally.written += 1;
      }
    }
  };
  const done = work().catch((error: unknown) => {
    tally.failure = error; // told by `close`: a full disk must not stop an agent
    queue.close();
  });

  return {
    record: (call) => {
      const taken = bytes <= bytesMax && queue.offer(call);
      if (!taken) tally.leftOut += 1;
      return taken;
    },
    close: async () => {
      queue.close();
      await done;
      return tally;
    },
  };
}

/** Its beginning and its end, cut between words so that no half of anything stays. */
function clip(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const head = text.slice(0, Math.floor(charsMax / 4)).replace(/[^\s"]{0,500}$/, '');
  const tail = text.slice(-Math.floor((charsMax * 3) / 4)).replace(/^[^\s"]{0,500}/, '');
  return `${head} … ${tail}`;
}
