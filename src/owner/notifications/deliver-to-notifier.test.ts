/** Deliveries to real servers on this machine. */
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { mailServer } from '../../../test/support/mail-server.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { NotifierChannel } from '../../settings/notification-config.ts';
import type { Notification } from './deliver-notification.ts';
import { deliverToNotifier } from './deliver-to-notifier.ts';

const notice: Notification = {
  ...{ event: 'asks', run_id: '0123456789', state: 'awaiting_input', project: '/shop' },
  ...{ task: 'Add a sum\nand more', reason: 'Is <!channel> fine & well?', remedy: 'Run: x' },
};
const TITLE = 'Run 0123456789 has a question';
const BODY = 'Add a sum and more\nIs <!channel> fine & well?\nRun: x\nProject: /shop';
const ports = {
  clock: systemClock,
  env: { PATH: process.env['PATH'] ?? '' },
  tag: `notifier-test:${process.pid}`,
  home: '/nonexistent',
  ownerEnv: { TOKEN: 'tk_1', MAIL_PASSWORD: 'hidden word' },
};

type Post = { readonly path: string; readonly token: string | undefined; readonly body: unknown };

async function httpServer(status = 200) {
  const posts: Post[] = [];
  const server = createHttpServer((request, response) => {
    void answer();
    async function answer(): Promise<void> {
      const body: unknown = JSON.parse(await text(request));
      posts.push({ path: request.url ?? '', token: request.headers.authorization, body });
      response.writeHead(status).end();
    }
  });
  return { posts, ...(await listening(server)) };
}

async function listening(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return { port, url, [Symbol.asyncDispose]: close };
}

describe('a notifier', () => {
  test('of the kind slack posts a text in which an agent can address no one', async () => {
    await using server = await httpServer();
    const how = await deliverToNotifier(
      { kind: 'slack', url: `${server.url}/hook` },
      notice,
      ports,
    );
    assert.equal(how, 'delivered');
    const escaped = 'Is &lt;!channel&gt; fine &amp; well?';
    const said = `${TITLE}\n${BODY.replace('Is <!channel> fine & well?', escaped)}`;
    assert.deepEqual(server.posts, [{ path: '/hook', token: undefined, body: { text: said } }]);
  });

  test('of the kind ntfy posts to the topic of its URL, with its token', async () => {
    await using server = await httpServer();
    const via = { kind: 'ntfy', url: `${server.url}/n/my-topic`, tokenEnv: 'TOKEN' } as const;
    assert.equal(await deliverToNotifier(via, notice, ports), 'delivered');
    const body = { topic: 'my-topic', title: TITLE, message: BODY };
    assert.deepEqual(server.posts, [{ path: '/n/', token: 'Bearer tk_1', body }]);
  });

  test('of the kind webhook posts the whole value', async () => {
    await using server = await httpServer();
    const via = { kind: 'webhook', url: `${server.url}/x` } as const;
    assert.equal(await deliverToNotifier(via, notice, ports), 'delivered');
    assert.deepEqual(server.posts, [{ path: '/x', token: undefined, body: notice }]);
  });

  test('of the kind command gives it the value', async () => {
    const via = { kind: 'command', command: 'grep -q 0123456789' } as const;
    assert.equal(await deliverToNotifier(via, notice, ports), 'delivered');
  });

  test('of the kind smtp sends a mail, with a login if it has one', async () => {
    await using server = await mailServer();
    const via: NotifierChannel = {
      ...{ kind: 'smtp', host: '127.0.0.1', port: server.port, secure: false },
      ...{ login: { user: 'me', passwordEnv: 'MAIL_PASSWORD' } },
      ...{ from: 'me@example.com', to: ['ada@example.com', 'bob@example.com'] },
    };
    assert.equal(await deliverToNotifier(via, notice, ports), 'delivered');
    const [mail] = server.mails;
    assert.deepEqual(
      [mail?.from, mail?.to, mail?.login],
      ['me@example.com', ['ada@example.com', 'bob@example.com'], '\0me\0hidden word'],
    );
    assert.match(mail?.data ?? '', new RegExp(`^Subject: Supervisor: ${TITLE}$`, 'm'));
    assert.match(mail?.data ?? '', /^Add a sum and more$/m);
  });

  const smtp = { kind: 'smtp', secure: false, login: null, from: 'a@b.c', to: ['d@e.f'] } as const;
  const bad: [why: string, via: NotifierChannel, how: RegExp][] = [
    [
      'that no server listens for',
      { kind: 'slack', url: 'http://127.0.0.1:9/' },
      /^not delivered: /,
    ],
    [
      'without a mail server',
      { ...smtp, host: '127.0.0.1', port: 9 },
      /^not delivered: .*ECONNREFUSED/,
    ],
    [
      'whose password the owner does not have',
      { ...smtp, host: '127.0.0.1', port: 9, login: { user: 'me', passwordEnv: 'NONE' } },
      /^not delivered: the owner was started without NONE$/,
    ],
    [
      'whose token the owner does not have',
      { kind: 'ntfy', url: 'http://127.0.0.1:9/t', tokenEnv: 'NONE' },
      /^not delivered: the owner was started without NONE$/,
    ],
    [
      'without a topic',
      { kind: 'ntfy', url: 'http://127.0.0.1:9/', tokenEnv: null },
      /^not delivered: the URL http:\/\/127\.0\.0\.1:9 names no topic$/,
    ],
  ];
  for (const [why, via, how] of bad)
    test(`${why} says why it failed`, async () => {
      assert.match(await deliverToNotifier(via, notice, ports), how);
    });

  test('that is refused says why', async () => {
    await using web = await httpServer(403);
    const via = { kind: 'slack', url: web.url } as const;
    assert.equal(
      await deliverToNotifier(via, notice, ports),
      'not delivered: the address answered 403',
    );
    await using mail = await mailServer({ refuses: 'd@e.f' });
    const how = await deliverToNotifier(
      { ...smtp, host: '127.0.0.1', port: mail.port },
      notice,
      ports,
    );
    assert.match(how, /^not delivered: .*550/);
  });
});
