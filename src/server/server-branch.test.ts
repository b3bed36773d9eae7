import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { seededLuck } from '../base/luck.ts';
import { isRefusal } from '../base/errors.ts';
import { homeAt } from '../host/home.ts';
import { systemClock } from '../host/system-clock.ts';
import type { TreeNode } from '../protocol/tree-view.ts';
import { eventually } from '../testing/eventually.ts';
import { tempDir } from '../testing/temp-dir.ts';
import type { Doors } from './server-branch.ts';
import { serve } from './serve.ts';
import type { Serving } from './serve.ts';

type Served = AsyncDisposable & {
  readonly serving: Serving;
  readonly home: ReturnType<typeof homeAt>;
};

async function serveIn(dir: string, tcp?: Doors['tcp']): Promise<Serving> {
  return serve({
    home: homeAt(dir, dir),
    version: '1.2.3',
    pid: process.pid,
    clock: systemClock,
    luck: seededLuck(1),
    node: process.execPath,
    agentEnv: { PATH: process.env['PATH'] ?? '' },
    env: {},
    log: () => {},
    tcp,
  });
}

async function served(tcp?: Doors['tcp']): Promise<Served> {
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

describe('the server', { timeout: 60_000 }, () => {
  test('comes back when its socket was taken away, and its neighbours do not notice', async () => {
    await using given = await served({ host: '127.0.0.1', port: 0 });
    const { serving, home } = given;
    const { api } = serving.owner;
    const before = ['server/tcp', 'runs', 'server'].map((id) => node(serving, id));
    rmSync(home.socket);
    assert.equal(await overSocket(home.socket), 'ENOENT');
    await eventually('the socket', async () => (await overSocket(home.socket)) === 200);
    const { restarts, health, why } = node(serving, 'server/socket') ?? assert.fail('no socket');
    assert.deepEqual([restarts, health, why], [1, 'recovering', 'the file of its socket is gone']);
    assert.deepEqual(
      ['server/tcp', 'runs', 'server'].map((id) => node(serving, id)),
      before,
    );
    assert.equal(serving.owner.api, api);
  });

  test('answers over TCP whoever knows the token, which only the user can read', async () => {
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

  test('answers on no port unless asked to, and leaves nothing behind', async () => {
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

  test('refuses a port that is taken, and lets go of the home', async () => {
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
