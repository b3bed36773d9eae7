import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { errnoCode } from '../host/files/errno.ts';
import { watchFiles } from '../host/files/file-identity.ts';
import { homeError } from '../host/machine/require-usable-home.ts';
import { createServer } from '../host/net/http.ts';

const TAKEN = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL']);
const ANSWER_MS = 300;
/** A browser opens up to six connections to one server, and each command that follows a run has one. */
const TCP_CONNECTIONS_MAX = 128;
/** How often the socket file is checked, because a cleaner of temporary folders may delete it. */
const LOOK_MS = 1000;

export type HttpHandler = (request: Request) => Response | Promise<Response>;

export type Listening = {
  /** The port of a TCP listener. */
  readonly port: number | undefined;
  /** Resolves with the reason if clients can't reach the listener any more. Never resolves after `close`. */
  readonly lost: Promise<string>;
  close(): Promise<void>;
};

/**
 * Listens on a unix socket that only this user can open. The caller holds the owner's lock, so an existing
 * socket file belongs to a dead owner and is replaced.
 */
export async function listenOnSocket(
  answer: HttpHandler,
  socket: string,
  clock: Clock,
): Promise<Listening> {
  // Listen under a unique name first. On close Node deletes the name that it listened on, and the path may then belong to another owner.
  const uniquePath = join(dirname(socket), `o-${randomBytes(3).toString('hex')}`);
  const server = await startServer(answer, { path: uniquePath });
  try {
    chmodSync(uniquePath, 0o600); // the folder is private too, so other users can't connect before this line
    renameSync(uniquePath, socket);
  } catch (error) {
    await closeServer(server, clock); // an open server would keep this process alive for ever
    throw homeError(dirname(socket), error) ?? error;
  }
  const file = watchFiles([socket]);
  const closing = new AbortController();
  const lost = Promise.race([serverError(server), fileGone(socket, clock, closing.signal)]);
  const close = async (): Promise<void> => {
    closing.abort();
    await closeServer(server, clock);
    if (file.areSame()) rmSync(socket, { force: true });
  };
  return { port: undefined, lost, close };
}

/** Refuses with `api.port-taken` if another process has the port, or this user may not listen on it. */
export async function listenOnTcp(
  answer: HttpHandler,
  { host, port }: { readonly host: string; readonly port: number },
  clock: Clock,
  connectionsMax = TCP_CONNECTIONS_MAX,
): Promise<Listening> {
  const server = await startServer(answer, { host, port }).catch((error: unknown) => {
    throw TAKEN.has(errnoCode(error)) ? portTaken(host, port, error) : error;
  });
  // Every user of this machine can connect to a port, with or without the token.
  server.maxConnections = connectionsMax;
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : undefined,
    lost: serverError(server),
    close: () => closeServer(server, clock),
  };
}

function portTaken(host: string, port: number, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'api.port-taken',
      message: `Can't listen on ${host}:${port}: the port is in use or not allowed.`,
      hint: 'Use another port. Port 0 picks a free one.',
    },
    { cause },
  );
}

async function startServer(
  answer: HttpHandler,
  where: { readonly path: string } | { readonly host: string; readonly port: number },
): Promise<Server> {
  const listener = getRequestListener(answer);
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where }, resolve);
  });
  return server;
}

async function closeServer(server: Server, clock: Clock): Promise<void> {
  // Open requests get their answers. A connection that does not end within a moment is closed.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await Promise.race([closed, clock.sleep(ANSWER_MS)]);
  server.closeAllConnections();
  await closed;
}

function serverError(server: Server): Promise<string> {
  return new Promise((resolve) => server.on('error', ({ message }) => resolve(message)));
}

/** If the socket file is deleted or replaced, no client can reach the listener. */
async function fileGone(socket: string, clock: Clock, signal: AbortSignal): Promise<string> {
  const file = watchFiles([socket]);
  while (await clock.sleep(LOOK_MS, signal))
    if (file.findLost() !== undefined) return 'its socket file is gone';
  return new Promise(() => {}); // the listener was closed
}
