import { randomBytes } from 'node:crypto';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/errors.ts';
import { errnoCode } from '../host/files/errno.ts';
import { watchFiles } from '../host/files/file-identity.ts';

const TAKEN = new Set(['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL']);
const ANSWER_MS = 300;
/** A browser has six to one place; everybody who follows a run has one. */
const TCP_CONNECTIONS_MAX = 128;
/** How often a socket's file is looked after: cleaners of temporary folders don't ask. */
const LOOK_MS = 1000;

export type HttpHandler = (request: Request) => Response | Promise<Response>;

export type Listening = {
  /** The port, where there is one. */
  readonly port: number | undefined;
  /** Resolves with the reason when nobody can reach it any more; never once it was closed. */
  readonly lost: Promise<string>;
  close(): Promise<void>;
};

/**
 * Answers on a unix socket that only its owner may open. The caller holds the owner's lock, so a
 * socket file that is already there belongs to a dead owner and is replaced.
 */
export async function listenOnSocket(
  answer: HttpHandler,
  socket: string,
  clock: Clock,
): Promise<Listening> {
  // Under a name of its own first: Node removes the name that it listened on, and by then the path may be another owner's.
  const own = join(dirname(socket), `o-${randomBytes(3).toString('hex')}`);
  const server = await started(answer, { path: own });
  chmodSync(own, 0o600); // its folder is private too, so there is no moment in which others can connect
  renameSync(own, socket);
  const file = watchFiles([socket]);
  const closing = new AbortController();
  const lost = Promise.race([fault(server), fileGone(socket, clock, closing.signal)]);
  const close = async (): Promise<void> => {
    closing.abort();
    await closeServer(server, clock);
    if (file.areSame()) rmSync(socket, { force: true });
  };
  return { port: undefined, lost, close };
}

/** Refuses with `api.port-taken` where somebody else has the port, or we may not have it. */
export async function listenOnTcp(
  answer: HttpHandler,
  { host, port }: { readonly host: string; readonly port: number },
  clock: Clock,
  connectionsMax = TCP_CONNECTIONS_MAX,
): Promise<Listening> {
  const server = await started(answer, { host, port }).catch((error: unknown) => {
    throw TAKEN.has(errnoCode(error)) ? portTaken(host, port, error) : error;
  });
  // Anybody on this machine can connect to a port, with or without the token.
  server.maxConnections = connectionsMax;
  const address = server.address();
  return {
    port: address !== null && typeof address === 'object' ? address.port : undefined,
    lost: fault(server),
    close: () => closeServer(server, clock),
  };
}

function portTaken(host: string, port: number, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'api.port-taken',
      message: `Nobody can listen on port ${port} of ${host}: it is taken, or not for us.`,
      hint: 'Name another port; 0 takes a free one.',
    },
    { cause },
  );
}

async function started(
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
  // Whoever is being answered gets the answer; who does not take it is cut off after a moment.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  await Promise.race([closed, clock.sleep(ANSWER_MS)]);
  server.closeAllConnections();
  await closed;
}

function fault(server: Server): Promise<string> {
  return new Promise((resolve) => server.on('error', ({ message }) => resolve(message)));
}

/** A listener whose file is gone, or another's, listens to nobody. */
async function fileGone(socket: string, clock: Clock, signal: AbortSignal): Promise<string> {
  const file = watchFiles([socket]);
  while (await clock.sleep(LOOK_MS, signal))
    if (file.lost() !== undefined) return 'the file of its socket is gone';
  return new Promise(() => {}); // closed: there is nothing to tell any more
}
