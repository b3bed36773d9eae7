import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import {
  factsOf,
  gatewayHarness,
  serve,
  strictModel,
  TOKEN,
  WIRES,
} from '../../test/support/gateway-harness.ts';
import { tempDir } from '../../test/support/temp-dir.ts';

describe('a gateway', () => {
  test('refuses whoever does not know the token, and tells', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url);
    for (const wire of WIRES) assert.equal((await rig.ask(wire, true, { token: 'x' })).status, 401);
    assert.deepEqual(
      factsOf(rig, 'stranger-refused').map(({ why }) => why),
      Array(4).fill('no-token'),
    );
    assert.deepEqual(server.journal(), []);
  });

  const paths: [why: string, method: string, path: string, status: number][] = [
    ['a path of another service', 'POST', '/v1/files', 403],
    ['a method of another service', 'DELETE', '/v1/messages', 403],
    ['a path that climbs', 'POST', '/v1/messages/../files', 403],
    ['a path that hides', 'POST', '/v1/%6dessages', 403],
    ['a path that doubles', 'POST', '//v1/messages', 403],
    ['another host', 'POST', 'http://elsewhere.test/v1/messages', 403],
    ['a query that is none', 'POST', '/v1/messages?a=b;c', 403],
    ['two queries', 'POST', '/v1/messages?a=b?c=d', 403],
    ['a look whether anybody is there', 'HEAD', '/', 200],
  ];
  for (const [why, method, path, status] of paths)
    test(`answers ${why} with ${status} by itself`, async () => {
      await using server = await strictModel();
      await using rig = await gatewayHarness(server.url);
      assert.equal(await rawStatus(rig.gateway.url ?? '', method, path), status);
      assert.deepEqual(server.journal(), []);
    });

  test('answers a websocket with 426', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url);
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    assert.equal(await rawStatus(rig.gateway.url ?? '', 'GET', '/v1/responses', headers), 426);
  });

  test('opens no tunnel, and tells where to one was wanted', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url);
    assert.equal(await rawStatus(rig.gateway.url ?? '', 'CONNECT', 'a.example:443'), 405);
    assert.deepEqual(
      factsOf(rig, 'stranger-refused').map(({ why, what }) => `${why} ${what}`),
      ['no-tunnel CONNECT a.example:443'],
    );
  });

  test('case 22: has bounds for what comes in', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url, { bounds: { requestBytesMax: 1000 } });
    const answer = await rig.ask('openai-chat', true, { body: { user: 'x'.repeat(1000) } });
    assert.equal(answer.status, 413);
    assert.deepEqual(
      factsOf(rig, 'stranger-refused').map(({ why }) => why),
      ['too-large'],
    );
  });

  test('case 22: answers one who sends more than that without saying so before', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url, { bounds: { requestBytesMax: 100_000 } });
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(20_000)),
    });
    const headers = { 'x-api-key': TOKEN };
    const path = `${rig.gateway.url ?? ''}/v1/messages`;
    const answer = await fetch(path, { method: 'POST', headers, body, duplex: 'half' });
    assert.equal(answer.status, 413);
  });

  test('does not tell of every stranger for ever', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url);
    for (let asked = 0; asked < 300; asked += 1)
      await (await rig.ask('gemini', true, { token: 'x' })).text();
    const counts = factsOf(rig, 'stranger-refused').map(({ count }) => count);
    assert.deepEqual(counts.slice(99), [100, 128, 256]);
  });

  test('has bounds for what comes back', async () => {
    await using server = await strictModel({ script: { steps: [{ text: 'x'.repeat(100_000) }] } });
    await using rig = await gatewayHarness(server.url, { bounds: { responseBytesMax: 10_000 } });
    await assert.rejects(rig.ask('openai-chat').then((answer) => answer.text()));
    assert.equal(factsOf(rig, 'call-ended')[0]?.end, 'too-large');
  });

  test('takes only JSON onward', async () => {
    await using server = await strictModel();
    await using rig = await gatewayHarness(server.url);
    const headers = { 'content-encoding': 'gzip' };
    assert.equal((await rig.ask('anthropic', true, { headers })).status, 400);
    assert.deepEqual(server.journal(), []);
  });

  test('case 16: on a socket is gone when it is closed, and its token with it', async () => {
    await using dir = await tempDir();
    const socket = join(dir.path, 'gateway.sock');
    await using server = await strictModel();
    const rig = await gatewayHarness(server.url, { listen: { socket } });
    assert.equal(rig.gateway.url, undefined);
    assert.equal(await socketStatus(socket), 200);
    await rig.gateway.close();
    await assert.rejects(socketStatus(socket), { code: 'ENOENT' });
  });

  test('keeps to its number of calls at once', async () => {
    const open: (() => void)[] = [];
    let most = 0;
    await using server = await serve((_request, response) => {
      open.push(() => response.end('{"type":"message","stop_reason":"end_turn"}'));
      most = Math.max(most, open.length);
    });
    await using rig = await gatewayHarness(server.url);
    const asked = Array.from({ length: 25 }, async () => (await rig.ask('anthropic')).text());
    for (let done = 0; done < 25; done += 1) {
      await eventually('a call is there', () => open.length > 0);
      open.shift()?.();
    }
    await Promise.all(asked);
    assert.ok(most <= 10, `${most} at once`);
  });
});

function rawStatus(
  base: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<number | undefined> {
  const { hostname, port } = new URL(base);
  return statusOf({ hostname, port, method, path, headers: { 'x-api-key': TOKEN, ...headers } });
}

function socketStatus(socketPath: string): Promise<number | undefined> {
  return statusOf({ socketPath, method: 'HEAD', path: '/' });
}

function statusOf(options: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ ...options, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('upgrade', (response) => resolve(response.statusCode));
    request.on('connect', (response) => resolve(response.statusCode));
    request.on('error', reject);
    request.end();
  });
}
