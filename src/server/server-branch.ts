/** The server as a branch of the owner's tree. Each listener is a child. */
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
import type { Dashboard } from './dashboard/dashboard.ts';
import { httpStatus } from './http-status.ts';
import type { HttpHandler, Listening } from './listen.ts';
import { listenOnSocket, listenOnTcp } from './listen.ts';

export type Listeners = {
  readonly home: Home;
  readonly clock: Clock;
  /** An additional TCP listener, if requested. */
  readonly tcp?: Pick<Listener, 'host' | 'port'> | undefined;
  readonly dashboard: Pick<Dashboard, 'child'>;
};

export function serverBranch(
  app: Hono,
  owner: Pick<Owner, 'api'>,
  listeners: Listeners,
): OwnerBranch {
  const { home, clock, tcp, dashboard } = listeners;
  const socket: ChildSpec = {
    id: 'socket',
    start: async () => toComponent(await listenOnSocket(app.fetch, home.socket, clock)),
  };
  // The socket starts last, so that a client that finds it finds a complete server.
  const others = tcp === undefined ? [] : [tcpChild(app, owner, listeners, tcp)];
  const page = dashboard.child((request, from) => app.fetch(request, from));
  return { id: 'server', children: [...others, page, socket] };
}

/** The port and the token stay the same as long as this owner runs, even if the listener restarts. */
function tcpChild(
  app: Hono,
  owner: Pick<Owner, 'api'>,
  { home, clock }: Listeners,
  address: Pick<Listener, 'host' | 'port'>,
): ChildSpec {
  const token = randomBytes(32).toString('base64url');
  let { port } = address;
  const { host } = address;
  return {
    id: 'tcp',
    start: async () => {
      const answer = withAdmission(app, () => ({ host, port, token }));
      const listening = await listenOnTcp(answer, { host, port }, clock);
      port = listening.port ?? port;
      await writeFileAtomic(home.apiToken, `${token}\n`);
      owner.api = listenUrl({ host, port });
      return toComponent(listening, async () => {
        owner.api = null;
        await removeFile(home.apiToken);
      });
    },
  };
}

/** The app behind the checks that a request over TCP has to pass first. */
function withAdmission(app: Pick<Hono, 'fetch'>, listener: () => Listener): HttpHandler {
  return (request) => {
    const refusal = originRefusal({ header: (name) => request.headers.get(name) }, listener());
    if (refusal === undefined) return app.fetch(request);
    return Response.json({ error: refusal.data }, { status: httpStatus(refusal.data.code) });
  };
}

function toComponent(
  listening: Listening,
  afterClose: () => Promise<void> = async () => {},
): StartResult {
  const component = new OwnerComponent(async () => {
    await listening.close();
    await afterClose();
  });
  void listening.lost.then((why) => component.fail(why));
  return { kind: 'started', child: component };
}
