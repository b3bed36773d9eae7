import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import type { ChildHandle } from '../../supervision/index.ts';
import { Dashboard } from './dashboard.ts';

type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};
type Send = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `fetch` does not let a caller set the host, the origin or the headers that a browser adds. */
function ask(url: string, { method = 'GET', headers = {} }: Send = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      );
    });
    call.on('error', reject);
    call.end();
  });
}

const PERSON = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };

type World = AsyncDisposable & {
  readonly dir: string;
  readonly dashboard: Dashboard;
  /** What the owner's API was asked, and from where. */
  readonly asked: string[];
  /** Ends this life of the dashboard and begins another one. */
  readonly restart: () => Promise<World>;
};

async function world(dir?: string): Promise<World> {
  const own = dir === undefined ? await tempDir() : undefined;
  const folder = dir ?? own?.path ?? '';
  const pageFolder = join(folder, 'page');
  await mkdir(join(pageFolder, 'assets'), { recursive: true });
  await writeFile(join(pageFolder, 'index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(pageFolder, 'assets', 'a-1.js'), 'let a;');
  const asked: string[] = [];
  const dashboard = new Dashboard({
    clock: systemClock,
    log: () => {},
    owner: { version: '1.2.3', home: folder },
    agentTable: undefined as never,
    accessFile: join(folder, 'dashboard.json'),
    pageFolder,
  });
  const started = await dashboard
    .child((call, { channel }) => {
      asked.push(`${call.method} ${new URL(call.url).pathname} ${channel}`);
      return Response.json({ answered: true });
    })
    .start(new AbortController().signal);
  assert.ok(started.kind === 'started');
  const child: ChildHandle = started.child;
  const end = async (): Promise<void> => {
    child.ask();
    await child.exit;
  };
  return {
    ...{ dir: folder, dashboard, asked },
    restart: async () => {
      await end();
      return world(folder);
    },
    [Symbol.asyncDispose]: async () => {
      await end();
      await own?.[Symbol.asyncDispose]();
    },
  };
}

type Browser = { readonly origin: string; readonly headers: Readonly<Record<string, string>> };

/** Follows a link as a browser does. */
async function browse(url: string): Promise<Browser> {
  const { status, headers } = await ask(url, { headers: PERSON });
  assert.equal(status, 303);
  const [cookie = ''] = String(headers['set-cookie']).split(';');
  const pageKey = String(headers['location']).replace('/#key=', '');
  const { origin } = new URL(url);
  return { origin, headers: { cookie, 'x-supervisor-page': pageKey, origin } };
}

const DECIDE = '/v1/runs/0123456789/decision';

describe('the dashboard', { timeout: 120_000 }, () => {
  test('opens no port before a person asks for a link', async () => {
    await using given = await world();
    await assert.rejects(stat(join(given.dir, 'dashboard.json')), { code: 'ENOENT' });
  });

  test('a link sets a cookie that no script and no other site can use, and works once', async () => {
    await using given = await world();
    const { url } = await given.dashboard.link({});
    const first = await ask(url, { headers: PERSON });
    assert.match(
      String(first.headers['set-cookie']),
      /^supervisor-dashboard=[\w-]{43}; Max-Age=\d{6}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assert.match(String(first.headers['location']), /^\/#key=[\w-]{43}$/);
    assert.equal((await ask(url, { headers: PERSON })).status, 401);
    const { mode } = await stat(join(given.dir, 'dashboard.json'));
    assert.equal((mode & 0o777).toString(8), '600');
  });

  test('a program that only looks at a link does not use it up', async () => {
    await using given = await world();
    const { url } = await given.dashboard.link({});
    const looked = await ask(url);
    assert.deepEqual([looked.status, looked.headers['set-cookie']], [200, undefined]);
    assert.match(looked.body, /<form method="post"/);
    const { origin } = new URL(url);
    assert.equal((await ask(url, { method: 'POST', headers: { origin } })).status, 303);
  });

  test('a browser that came in asks and decides, on record as a page', async () => {
    await using given = await world();
    const { origin, headers } = await browse((await given.dashboard.link({})).url);
    assert.deepEqual(
      JSON.parse((await ask(`${origin}/v1/session`, { headers })).body).role,
      'operator',
    );
    assert.equal((await ask(origin + DECIDE, { method: 'POST', headers })).status, 200);
    assert.deepEqual(given.asked, [`POST ${DECIDE} web`]);
  });

  test('is refused: whatever lacks a secret, comes from elsewhere, or asks for too much', async () => {
    await using given = await world();
    const { origin, headers } = await browse((await given.dashboard.link({})).url);
    const { cookie = '', 'x-supervisor-page': key = '' } = headers;
    const post = (more: Readonly<Record<string, string>>): Send => ({
      method: 'POST',
      headers: more,
    });
    const cases: [why: string, path: string, send: Send, status: number][] = [
      ['no secret', DECIDE, post({ origin }), 401],
      ['CSRF: the cookie without the key', DECIDE, post({ origin, cookie }), 401],
      ['the key without the cookie', DECIDE, post({ origin, 'x-supervisor-page': key }), 401],
      ['a guessed key', DECIDE, post({ ...headers, 'x-supervisor-page': 'a'.repeat(43) }), 401],
      ['a guessed cookie', DECIDE, post({ ...headers, cookie: `${cookie}x` }), 401],
      ['two cookies', DECIDE, post({ ...headers, cookie: `${cookie}; ${cookie}` }), 401],
      ['the token of the API', DECIDE, post({ origin, authorization: `Bearer ${key}` }), 401],
      ['CSRF: another origin', DECIDE, post({ ...headers, origin: 'https://evil.example' }), 403],
      ['no origin', DECIDE, post({ cookie, 'x-supervisor-page': key }), 403],
      ['DNS rebinding', DECIDE, post({ ...headers, host: 'evil.example' }), 403],
      [
        'a page of another site',
        '/v1/session',
        { headers: { ...headers, 'sec-fetch-site': 'cross-site' } },
        403,
      ],
      ['a frame', '/', { headers: { 'sec-fetch-dest': 'iframe' } }, 403],
      ['to start a run', '/v1/runs', post(headers), 403],
      ['to give access', '/v1/dashboard/links', post(headers), 403],
      ['to write to a file of the page', '/index.html', post({ origin }), 403],
    ];
    for (const [why, path, send, status] of cases)
      assert.equal((await ask(origin + path, send)).status, status, why);
    assert.deepEqual(given.asked, []);
  });

  test('a link for reading changes nothing', async () => {
    await using given = await world();
    const { origin, headers } = await browse(
      (await given.dashboard.link({ role: 'read-only' })).url,
    );
    const refused = await ask(origin + DECIDE, { method: 'POST', headers });
    assert.deepEqual([refused.status, given.asked], [403, []]);
    assert.match(refused.body, /may look and change nothing/);
  });

  test('every answer forbids frames, foreign scripts and caching', async () => {
    await using given = await world();
    const { origin } = await browse((await given.dashboard.link({})).url);
    for (const path of ['/', '/runs/0123456789', '/v1/session', '/enter/x', '/nothing']) {
      const { headers } = await ask(origin + path);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/, path);
      assert.ok(!policy.includes('unsafe'), path);
      assert.deepEqual(
        [headers['x-frame-options'], headers['x-content-type-options'], headers['referrer-policy']],
        ['DENY', 'nosniff', 'same-origin'],
      );
    }
  });

  test('serves the files of the page and no other', async () => {
    await using given = await world();
    await writeFile(join(given.dir, 'secret.js'), 'secret');
    const { origin } = await browse((await given.dashboard.link({})).url);
    const asset = await ask(`${origin}/assets/a-1.js`);
    assert.deepEqual(
      [asset.body, asset.headers['cache-control']],
      ['let a;', 'public, max-age=31536000, immutable'],
    );
    for (const path of [
      '/../secret.js',
      '/assets/../../secret.js',
      '/assets/%2e%2e/%2e%2e/secret.js',
      '//secret.js',
    ]) {
      const { body } = await ask(origin, { headers: { host: new URL(origin).host } }).then(() =>
        rawPath(origin, path),
      );
      assert.ok(!body.includes('secret'), path);
    }
    assert.equal((await ask(`${origin}/assets/no.js`)).status, 404);
  });

  test('wrong links are counted, and then none is accepted for a while', async () => {
    await using given = await world();
    const { url } = await given.dashboard.link({});
    const { origin } = new URL(url);
    const statuses = new Set<number>();
    for (let count = 0; count < 31; count += 1)
      statuses.add((await ask(`${origin}/enter/${'x'.repeat(43)}`, { headers: PERSON })).status);
    assert.deepEqual([...statuses], [401, 429]);
    assert.equal((await ask(url, { headers: PERSON })).status, 429);
  });

  test('a wrong link writes nothing', async () => {
    await using given = await world();
    const { origin } = new URL((await given.dashboard.link({})).url);
    const file = join(given.dir, 'dashboard.json');
    const before = await stat(file);
    await ask(`${origin}/enter/${'x'.repeat(43)}`, { headers: PERSON });
    const after = await stat(file);
    assert.deepEqual([after.ino, after.mtimeMs], [before.ino, before.mtimeMs]);
  });

  test('requests without a link to a question are no decisions', async () => {
    await using given = await world();
    const { url } = await given.dashboard.questionLink({ run: '0123456789' }, 'ask-look-1');
    const { origin } = new URL(url);
    const post = { method: 'POST', headers: { origin } };
    const statuses = new Set<number>();
    for (let count = 0; count < 31; count += 1)
      statuses.add((await ask(`${origin}/a/${'x'.repeat(43)}`, post)).status);
    assert.deepEqual([...statuses], [401, 429]);
    // The owner of this test knows no run.
    assert.equal((await ask(url, post)).status, 503);
  });

  test('decisions by a link to one question are counted, whatever they say', async () => {
    await using given = await world();
    const { url } = await given.dashboard.questionLink({ run: '0123456789' }, 'ask-look-1');
    const { origin } = new URL(url);
    const decide = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await ask(url, { method: 'POST', headers })).status;
    // Only our own page may decide.
    assert.equal(await decide({ origin: 'https://elsewhere.example' }), 403);
    assert.equal(await decide({}), 403);
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) statuses.push(await decide({ origin }));
    // The owner of this test knows no run.
    assert.deepEqual(new Set(statuses.slice(0, 10)), new Set([503]));
    assert.equal(statuses[10], 429);
    assert.equal((await ask(`${origin}/a/${'x'.repeat(43)}`)).status, 401);
    assert.deepEqual(await given.dashboard.endAll(), { sessions: 0, links: 1 });
    assert.ok(given.asked.every((line) => line.endsWith(' phone')));
  });

  test('the next owner knows the port, the browsers, and which links were used', async () => {
    await using first = await world();
    const { url } = await first.dashboard.link({});
    const { origin, headers } = await browse(url);
    await using second = await first.restart();
    assert.equal((await ask(`${origin}/v1/session`, { headers })).status, 200);
    assert.equal((await ask(url, { headers: PERSON })).status, 401);
    assert.equal(new URL((await second.dashboard.link({})).url).origin, origin);
  });

  test('a port that another program has taken meanwhile is replaced by another one', async () => {
    await using first = await world();
    const { url } = await first.dashboard.link({});
    const port = Number(new URL(url).port);
    const taker = createServer();
    await using second = await first.restart().then(async (next) => {
      await next.dashboard.endAll();
      await new Promise<void>((resolve) => taker.listen(port, '127.0.0.1', resolve));
      return next;
    });
    const other = new URL((await second.dashboard.link({})).url);
    assert.notEqual(Number(other.port), port);
    await assert.rejects(second.dashboard.link({ port }), { message: /the port is in use/ });
    await new Promise((resolve) => taker.close(resolve));
  });

  test('after the end of all access, no cookie and no link works, and the port is closed', async () => {
    await using given = await world();
    const { origin, headers } = await browse((await given.dashboard.link({})).url);
    const unused = (await given.dashboard.link({})).url;
    assert.deepEqual(await given.dashboard.endAll(), { sessions: 1, links: 1 });
    await assert.rejects(ask(`${origin}/v1/session`, { headers }), { code: 'ECONNREFUSED' });
    await given.dashboard.link({});
    assert.equal((await ask(`${origin}/v1/session`, { headers })).status, 401);
    assert.equal((await ask(unused, { headers: PERSON })).status, 401);
  });

  test('a proxy has a name of its own, and its cookie is only sent encrypted', async () => {
    await using given = await world();
    const { url } = await given.dashboard.link({ publicUrl: 'https://box.example.net/' });
    assert.match(url, /^https:\/\/box\.example\.net\/enter\//);
    const file = JSON.parse(await readFile(join(given.dir, 'dashboard.json'), 'utf8')) as {
      port: number;
    };
    const path = new URL(url).pathname;
    const headers = { ...PERSON, host: 'box.example.net' };
    const { headers: set } = await ask(`http://127.0.0.1:${file.port}${path}`, { headers });
    assert.match(String(set['set-cookie']), /SameSite=Strict; Secure$/);
  });

  test('a page that leaves has no access any more', async () => {
    await using given = await world();
    const { origin, headers } = await browse((await given.dashboard.link({})).url);
    assert.equal((await ask(`${origin}/v1/session/end`, { method: 'POST', headers })).status, 200);
    await eventually(
      'the end',
      async () => (await ask(`${origin}/v1/session`, { headers })).status === 401,
    );
  });
});

/** `request` normalizes nothing, if the path is given on its own. */
function rawPath(origin: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const call = request({ hostname, port, path, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
      );
    });
    call.on('error', reject);
    call.end();
  });
}
