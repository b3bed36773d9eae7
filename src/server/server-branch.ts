/** The server as a branch of the owner's tree: each place where it answers is a child of its own. */
import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { Clock } from '../base/clock.ts';
import type { Owner } from '../daemon/owner.ts';
import type { Branch } from '../daemon/owner-tree.ts';
import { Part } from '../daemon/part.ts';
import { writeFileAtomic } from '../host/files.ts';
import type { Home } from '../host/home.ts';
import { removeFile } from '../host/read-text-file.ts';
import type { ChildSpec, StartResult } from '../supervision/index.ts';
import { refusalFor, urlOf } from './admit.ts';
import type { Door } from './admit.ts';
import { httpStatus } from './http-status.ts';
import type { Answer, Listening } from './listen.ts';
import { listenOnSocket, listenOnTcp } from './listen.ts';

export type Doors = {
  readonly home: Home;
  readonly clock: Clock;
  /** Besides the socket; not unless asked for. */
  readonly tcp?: Pick<Door, 'host' | 'port'> | undefined;
};

export function serverBranch(app: Hono, owner: Pick<Owner, 'api'>, doors: Doors): Branch {
  const { home, clock, tcp } = doors;
  const socket: ChildSpec = {
    id: 'socket',
    start: async () => partOf(await listenOnSocket(app.fetch, home.socket, clock)),
  };
  // The socket last: whoever finds it finds the rest of the server too.
  const others = tcp === undefined ? [] : [tcpChild(app, owner, doors, tcp)];
  return { id: 'server', children: [...others, socket] };
}

/** The port, once taken, and the token stay the same for as long as this owner lives. */
function tcpChild(
  app: Hono,
  owner: Pick<Owner, 'api'>,
  { home, clock }: Doors,
  wish: Pick<Door, 'host' | 'port'>,
): ChildSpec {
  const token = randomBytes(32).toString('base64url');
  let { port } = wish;
  const { host } = wish;
  return {
    id: 'tcp',
    start: async () => {
      const answer = guarded(app, () => ({ host, port, token }));
      const listening = await listenOnTcp(answer, { host, port }, clock);
      port = listening.port ?? port;
      await writeFileAtomic(home.apiToken, `${token}\n`);
      owner.api = urlOf({ host, port });
      return partOf(listening, async () => {
        owner.api = null;
        await removeFile(home.apiToken);
      });
    },
  };
}

/** The app behind the questions that a caller over TCP has to answer first. */
export function guarded(app: Pick<Hono, 'fetch'>, door: () => Door): Answer {
  return (request) => {
    const refusal = refusalFor({ header: (name) => request.headers.get(name) }, door());
    if (refusal === undefined) return app.fetch(request);
    return Response.json({ error: refusal.data }, { status: httpStatus(refusal.data.code) });
  };
}

function partOf(listening: Listening, andThen: () => Promise<void> = async () => {}): StartResult {
  const part = new Part(async () => {
    await listening.close();
    await andThen();
  });
  void listening.lost.then((why) => part.fail(why));
  return { kind: 'started', child: part };
}
