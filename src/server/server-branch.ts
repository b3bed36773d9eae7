/** The server as a branch of the owner's tree: each place where it answers is a child of its own. */
import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { Clock } from '../base/clock.ts';
import type { Owner } from '../owner/owner.ts';
import type { OwnerBranch } from '../owner/owner-tree.ts';
import { OwnerComponent } from '../owner/component.ts';
import { writeFileAtomic } from '../host/files/atomic-files.ts';
import type { Home } from '../host/machine/state-home.ts';
import { removeFile } from '../host/files/read-text-file.ts';
import type { ChildSpec, StartResult } from '../supervision/index.ts';
import { originRefusal, listenUrl } from './admit.ts';
import type { Listener } from './admit.ts';
import { httpStatus } from './http-status.ts';
import type { HttpHandler, Listening } from './listen.ts';
import { listenOnSocket, listenOnTcp } from './listen.ts';

export type Listeners = {
  readonly home: Home;
  readonly clock: Clock;
  /** Besides the socket; not unless asked for. */
  readonly tcp?: Pick<Listener, 'host' | 'port'> | undefined;
};

export function serverBranch(app: Hono, owner: Pick<Owner, 'api'>, doors: Listeners): OwnerBranch {
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
  { home, clock }: Listeners,
  wish: Pick<Listener, 'host' | 'port'>,
): ChildSpec {
  const token = randomBytes(32).toString('base64url');
  let { port } = wish;
  const { host } = wish;
  return {
    id: 'tcp',
    start: async () => {
      const answer = withAdmission(app, () => ({ host, port, token }));
      const listening = await listenOnTcp(answer, { host, port }, clock);
      port = listening.port ?? port;
      await writeFileAtomic(home.apiToken, `${token}\n`);
      owner.api = listenUrl({ host, port });
      return partOf(listening, async () => {
        owner.api = null;
        await removeFile(home.apiToken);
      });
    },
  };
}

/** The app behind the questions that a caller over TCP has to answer first. */
export function withAdmission(app: Pick<Hono, 'fetch'>, door: () => Listener): HttpHandler {
  return (request) => {
    const refusal = originRefusal({ header: (name) => request.headers.get(name) }, door());
    if (refusal === undefined) return app.fetch(request);
    return Response.json({ error: refusal.data }, { status: httpStatus(refusal.data.code) });
  };
}

function partOf(listening: Listening, andThen: () => Promise<void> = async () => {}): StartResult {
  const part = new OwnerComponent(async () => {
    await listening.close();
    await andThen();
  });
  void listening.lost.then((why) => part.fail(why));
  return { kind: 'started', child: part };
}
