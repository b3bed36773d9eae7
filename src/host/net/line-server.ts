/** A unix socket on which programs send lines. Connections and bytes are bounded, whatever they send. */
import { chmod } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import type { Line } from '../output/line-reader.ts';
import { LineReader } from '../output/line-reader.ts';

export type LineBounds = {
  /** In total, not only concurrently. */
  readonly connectionsMax: number;
  readonly lineBytesMax: number;
  /** Of one connection. */
  readonly bytesMax: number;
};

export type LineServer = AsyncDisposable & {
  /** Resolves when no connection is open. By then every line that was sent has been received. */
  readonly idle: () => Promise<void>;
};

/** Handles one connection. `answer` sends a line back. */
export type LineListener = (answer: (line: string) => void) => {
  readonly onLine: (line: Line) => void;
  /** The connection exceeded a bound. Nothing further of it is read. */
  readonly onExcess: () => void;
};

/** Every user that can reach the path may connect. Its folder decides who can. */
export async function serveLines(
  path: string,
  { connectionsMax, lineBytesMax, bytesMax }: LineBounds,
  listener: LineListener,
): Promise<LineServer> {
  const open = new Set<Socket>();
  const waiting = new Set<() => void>();
  let seen = 0;
  const server = createServer((socket) => {
    seen += 1;
    const { onLine, onExcess } = listener((line) => void socket.write(`${line}\n`));
    if (seen > connectionsMax) {
      onExcess();
      socket.destroy();
      return;
    }
    open.add(socket);
    const reader = new LineReader(lineBytesMax);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        onExcess();
        socket.destroy();
      } else for (const line of reader.push(chunk)) onLine(line);
    });
    socket.on('error', () => undefined); // a client that was killed; `close` follows
    socket.on('close', () => {
      open.delete(socket);
      if (open.size === 0) for (const wake of waiting) wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, BACKLOG, resolve);
  });
  await chmod(path, 0o666);
  return {
    idle: async () => {
      // A connection that only the kernel knows about arrives within these turns of the event loop.
      for (let turn = 0; turn < 3; turn += 1)
        await new Promise((resolve) => void setImmediate(resolve));
      if (open.size > 0) await new Promise<void>((resolve) => void waiting.add(resolve));
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

const BACKLOG = 511;
