import { chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Hono } from 'hono';
import type { Clock } from '../base/clock.ts';
import { getRequestListener } from '@hono/node-server';

const ANSWER_MS = 300;

export type Listening = { close(): Promise<void> };

/**
 * Answers on a unix socket that only its owner may open. The caller holds the owner's lock, so a
 * socket file that is already there belongs to a dead owner and is replaced.
 */
export async function listen(app: Hono, socket: string, clock: Clock): Promise<Listening> {
  rmSync(socket, { force: true });
  const answer = getRequestListener(app.fetch);
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600); // its folder is private too, so there is no moment in which others can connect
  return {
    close: async () => {
      // Whoever is being answered gets the answer; who does not take it is cut off after a moment.
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await Promise.race([closed, clock.sleep(ANSWER_MS)]);
      server.closeAllConnections();
      await closed;
      rmSync(socket, { force: true });
    },
  };
}
