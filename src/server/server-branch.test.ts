import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { seededRandom } from '../base/random.ts';
import { isRefusal } from '../base/errors.ts';
import { homeAt } from '../host/machine/state-home.ts';
import { newOwnerId } from '../host/process/owner-id.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import type { TreeNode } from '../protocol/views/tree-view.ts';
import { eventually } from '../../test/support/eventually.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import type { Listeners } from './server-branch.ts';
import { serve } from './serve.ts';
import type { Serving } from './serve.ts';

type Served = AsyncDisposable & {
  readonly serving: Serving;
  readonly home: ReturnType<typeof homeAt>;
};

async function serveIn(dir: string, tcp?: Listeners['tcp']): Promise<Serving> {
  return serve({
    home: homeAt(dir, dir),
    ownerId: newOwnerId(),
    version: '1.2.3',
    pid: process.pid,
    clock: systemClock,
    random: seededRandom(1),
    node: process.execPath,
    agentEnv: { PATH: process.env['PATH'] ?? '' },
    scriptedInProject: true,
    env: {},
    log: () => {},
    tcp,
  });
}

async function served(tcp?: Listeners['tcp']): Promise<Served> {
  const dir = await tempDir();
  const serving = await serveIn(dir.path, tcp);
  return {
    serving,
    home: homeAt(dir.path, dir.path),
    [Symbol.asyncDispose]: async () => {
      await serving.close('the test is over');
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** The status of an answer over the socket, or the error. */
function overSocket(socketPath: string): Promise<number | string> {
  return new Promise((resolve) => {
    const call = request({ socketPath, path: '/v1/owner', agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end();
  });
}

function node({ owner }: Serving, id: string): TreeNode | undefined {
  return owner.tree().nodes.find((one) => one.id === `owner/branches/${id}`);
}

describe('the server', { timeout: 300_000 }, () => {
  test('restarts when its socket file is deleted, without affecting other components', async () => {
    await using given = await served({ host: '127.0.0.1', port: 0 });
    const { serving, home } = given;
    const { api } = serving.owner;
    const before = ['server/tcp', 'runs', 'server'].map((id) => node(serving, id));
    rmSync(home.socket);
    assert.equal(await overSocket(home.socket), 'ENOENT');
    await eventually('the socket', async () => (await overSocket(home.socket)) === 200);
    const { restarts, health, why } = node(serving, 'server/socket') ?? assert.fail('no socket');
    assert.deepEqual([restarts, health, why], [1, 'recovering', 'its socket file is gone']);
    assert.deepEqual(
      ['server/tcp', 'runs', 'server'].map((id) => node(serving, id)),
      before,
    );
    assert.equal(serving.owner.api, api);
  });

  test('case 52: answers over TCP with the token, which only the user can read', async () => {
    await using given = await served({ host: '127.0.0.1', port: 0 });
    const { serving, home } = given;
    const url = `${serving.owner.api ?? ''}/v1/owner`;
    const token = readFileSync(home.apiToken, 'utf8').trim();
    assert.equal((statSync(home.apiToken).mode & 0o777).toString(8), '600');
    assert.equal(token.length, 43);
    const authorization = `Bearer ${token}`;
    const ask = async (headers: Record<string, string>): Promise<number> => {
      const answer = await fetch(url, { headers });
      await answer.text();
      return answer.status;
    };
    assert.deepEqual(
      [
        await ask({ authorization }),
        await ask({}),
        await ask({ authorization, origin: 'https://evil.example' }),
        await askAs(url, 'evil.example', authorization),
      ],
      [200, 401, 403, 403],
    );
  });

  test('case 50: a request from a page of another site starts nothing', async () => {
    await using given = await served({ host: '127.0.0.1', port: 0 });
    const { serving, home } = given;
    const url = `${serving.owner.api ?? ''}/v1/runs`;
    const token = readFileSync(home.apiToken, 'utf8').trim();
    const body = JSON.stringify({ task: 'x', project: home.dir, agent: 'scripted' });
    // A form can set no header of its own; a script can, and then the browser says where it is from.
    const page = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const forms = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];
    const sent = [
      ...forms.flatMap((type) => [{ 'content-type': type }, { 'content-type': type, ...page }]),
      { ...page, 'content-type': 'application/json', authorization: `Bearer ${token}` },
      { origin: 'null', authorization: `Bearer ${token}` },
    ];
    for (const headers of sent) {
      const answer = await fetch(url, { method: 'POST', headers, body });
      assert.ok([401, 403].includes(answer.status), JSON.stringify(headers));
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
      await answer.text();
    }
    const asked = await fetch(url, {
      method: 'OPTIONS',
      headers: { ...page, 'access-control-request-method': 'POST' },
    });
    assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [403, null]);
    assert.deepEqual(await serving.owner.engine.list({ limit: 10 }), []);
  });

  test('case 52: no stream is opened without the token, and a token in the URL does not count', async () => {
    await using given = await served({ host: '127.0.0.1', port: 0 });
    const { serving, home } = given;
    const api = serving.owner.api ?? '';
    const token = readFileSync(home.apiToken, 'utf8').trim();
    const streams = ['events/follow', 'tree/follow', 'runs/0000000000/events'];
    for (const path of [...streams, 'runs/0000000000/output'])
      for (const query of [
        '',
        `?token=${token}`,
        `?access_token=${token}`,
        `?authorization=Bearer%20${token}`,
      ]) {
        const answer = await fetch(`${api}/v1/${path}${query}`);
        assert.equal(answer.status, 401, `${path}${query}`);
        await answer.text();
      }
    const inside = api.replace('//', `//${token}@`);
    await assert.rejects(fetch(`${inside}/v1/events/follow`), TypeError);
    const cookie = { cookie: `token=${token}; authorization=Bearer ${token}` };
    assert.equal((await fetch(`${api}/v1/events/follow`, { headers: cookie })).status, 401);
  });

  test('case 54: no path leads to a file, however it is written', async () => {
    await using given = await served({ host: '127.0.0.1', port: 0 });
    const { serving, home } = given;
    const authorization = `Bearer ${readFileSync(home.apiToken, 'utf8').trim()}`;
    const url = `${serving.owner.api ?? ''}/v1/owner`;
    const climbs = ['..', '%2e%2e', '..%2f..', '..%5c..', '%252e%252e', '.%00.', '....//'];
    const ends = ['api-token', 'journal.db', 'config.yaml', 'etc/passwd'];
    const roots = ['', 'v1/', 'v1/runs/', 'v1/runs/0000000000/artifacts/', 'static/'];
    for (const root of roots)
      for (const climb of climbs)
        for (const end of ends) {
          const path = `/${root}${`${climb}/`.repeat(3)}${end}`;
          const { status, type } = await askPath(url, path, authorization);
          assert.ok([400, 404].includes(status), `${status} for ${path}`);
          assert.match(type, /^(application\/json.*|none)$/, path);
        }
  });

  test('case 51: listens on no port unless requested, and leaves nothing behind', async () => {
    await using given = await served();
    assert.deepEqual(
      [given.serving.owner.api, node(given.serving, 'server/tcp'), existsSync(given.home.apiToken)],
      [null, undefined, false],
    );
    await using other = await served({ host: '127.0.0.1', port: 0 });
    const { apiToken, socket } = other.home;
    assert.deepEqual([existsSync(apiToken), existsSync(socket)], [true, true]);
    await other.serving.close('to see what is left');
    assert.deepEqual([existsSync(apiToken), existsSync(socket)], [false, false]);
  });

  test('refuses a port that is in use, and releases the home', async () => {
    await using first = await served({ host: '127.0.0.1', port: 0 });
    await using dir = await tempDir();
    const port = Number(new URL(first.serving.owner.api ?? '').port);
    await assert.rejects(serveIn(dir.path, { host: '127.0.0.1', port }), (error) =>
      isRefusal(error, 'api.port-taken'),
    );
    const again = await serveIn(dir.path);
    await again.close('the test is over');
  });
});

/** `fetch` normalizes a path before it sends it. */
function askPath(
  url: string,
  path: string,
  authorization: string,
): Promise<{ readonly status: number; readonly type: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { path, headers: { authorization }, agent: false }, (answer) => {
      answer.resume();
      resolve({
        status: answer.statusCode ?? 0,
        type: answer.headers['content-type'] ?? 'none',
      });
    });
    call.on('error', reject);
    call.end();
  });
}

/** `fetch` does not let a caller lie about the host. */
function askAs(url: string, host: string, authorization: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers: { host, authorization }, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on('error', reject);
    call.end();
  });
}
