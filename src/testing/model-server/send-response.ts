import type { ServerResponse } from 'node:http';

import type { Clock } from '../../base/clock.ts';
import type { TransportFault } from './model-faults.ts';
import type { RecordedExchange } from './request-journal.ts';

/** An answer as bytes: the text, and where it may be interrupted. */
export type ResponseStream = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One item for a plain body, one for each event of a stream. */
  readonly frames: readonly string[];
  /** Written instead of the rest if the fault is an error inside the stream. */
  readonly errorFrame: string;
};

type End = Exclude<RecordedExchange['end'], 'open'>;

const HANG_MS = 600_000;
const WEB_PAGE =
  '<!doctype html><html><head><title>Sign in</title></head><body>Please sign in to continue.</body></html>';

/** Writes the whole answer. Resolves with how it ended; a client that disconnects is no error. */
export async function sendResponse(response: ServerResponse, stream: ResponseStream): Promise<End> {
  response.writeHead(stream.status, stream.headers);
  for (const frame of stream.frames) if (!(await write(response, frame))) return 'left-by-client';
  return finish(response);
}

/** Writes the part of the answer that the fault leaves. */
export async function sendBrokenResponse(
  response: ServerResponse,
  stream: ResponseStream,
  fault: TransportFault,
  clock: Clock,
  signal: AbortSignal,
): Promise<End> {
  const { status, headers, frames } = stream;
  const body = frames.join('');
  switch (fault.kind) {
    case 'reset':
      response.socket?.resetAndDestroy();
      return 'cut';
    case 'empty':
      return sendResponse(response, { ...stream, frames: [] });
    case 'malformed-json':
      return sendResponse(response, { ...stream, frames: [brokenJson(frames)] });
    case 'html':
      return sendResponse(response, {
        ...stream,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        frames: [WEB_PAGE],
      });
    case 'no-finish':
      return sendResponse(response, { ...stream, frames: withoutEnd(frames) });
    case 'error-event':
      return sendResponse(response, {
        ...stream,
        frames: [...frames.slice(0, 2), stream.errorFrame],
      });
    case 'cut': {
      const whole = fault.afterFrames ?? Math.floor((frames.length - 1) / 2);
      response.writeHead(status, headers);
      const sent = frames.slice(0, whole).join('');
      await write(response, sent + beginning(frames[whole] ?? ''));
      return cut(response);
    }
    case 'hang':
      if (fault.where === 'in-stream') {
        response.writeHead(status, headers);
        await write(response, frames.length > 1 ? (frames[0] ?? '') : beginning(body));
      }
      await stillness(response, clock, fault.boundMs ?? HANG_MS, signal);
      return response.destroyed && !signal.aborted ? 'left-by-client' : cut(response);
    case 'drip': {
      const bytes = Buffer.from(body);
      const size = Math.max(1, fault.bytes ?? 32);
      response.writeHead(status, headers);
      for (let at = 0; at < bytes.length; at += size) {
        if (!(await write(response, bytes.subarray(at, at + size)))) return 'left-by-client';
        if (!(await stillness(response, clock, fault.everyMs, signal))) break;
      }
      return response.destroyed ? 'left-by-client' : finish(response);
    }
  }
}

/** The event with the finish is left out, and every later one. */
function withoutEnd(frames: readonly string[]): readonly string[] {
  if (frames.length === 1) return frames.map(beginning);
  const end = frames.findIndex((frame) =>
    /"(stop_reason|finish_reason|finishReason)":"|"type":"response\.(completed|incomplete)"/.test(
      frame,
    ),
  );
  return end === -1 ? frames.slice(0, -1) : frames.slice(0, end);
}

function brokenJson(frames: readonly string[]): string {
  const [first = ''] = frames;
  return frames.length === 1 ? beginning(first) : first.replace(/\}+\n\n$/, '\n\n');
}

/** A third, so that no wire has sent its finish yet. */
function beginning(whole: string): string {
  return whole.slice(0, Math.ceil(whole.length / 3));
}

/**
 * Waits on purpose. True when the time has passed; false when the client disconnects or the server
 * closes.
 */
async function stillness(
  response: ServerResponse,
  clock: Clock,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  const left = new AbortController();
  const onClose = (): void => left.abort();
  response.once('close', onClose);
  if (response.destroyed) left.abort();
  const slept = await clock.sleep(ms, AbortSignal.any([left.signal, signal]));
  response.off('close', onClose);
  return slept;
}

/** Resolves once the bytes are written: true, or false if the client no longer reads. */
function write(response: ServerResponse, bytes: string | Uint8Array): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  if (bytes.length === 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const onClose = (): void => resolve(false);
    response.once('close', onClose);
    response.write(bytes, (error) => {
      response.off('close', onClose);
      resolve(error === null || error === undefined);
    });
  });
}

function finish(response: ServerResponse): Promise<End> {
  if (response.destroyed) return Promise.resolve('left-by-client');
  return new Promise((resolve) => {
    response.once('close', () => resolve(response.writableFinished ? 'sent' : 'left-by-client'));
    response.end();
  });
}

function cut(response: ServerResponse): End {
  response.socket?.destroy();
  return 'cut';
}
