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
  test('refuses a request without the token, and reports it', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    for (const wire of WIRES)
      assert.equal((await harness.ask(wire, true, { token: 'x' })).status, 401);
    assert.deepEqual(
      factsOf(harness, 'unexpected-request').map(({ why }) => why),
      Array(4).fill('no-token'),
    );
    assert.deepEqual(server.journal(), []);
  });

  const paths: [why: string, method: string, path: string, status: number][] = [
    ['a path of another service', 'POST', '/v1/files', 403],
    ['a method of another service', 'DELETE', '/v1/messages', 403],
    ['a path with ..', 'POST', '/v1/messages/../files', 403],
    ['a path with an escaped letter', 'POST', '/v1/%6dessages', 403],
    ['a path with a double slash', 'POST', '//v1/messages', 403],
    ['another host', 'POST', 'http://elsewhere.test/v1/messages', 403],
    ['a malformed query', 'POST', '/v1/messages?a=b;c', 403],
    ['two queries', 'POST', '/v1/messages?a=b?c=d', 403],
    ['a check whether the gateway is up', 'HEAD', '/', 200],
  ];
  for (const [why, method, path, status] of paths)
    test(`answers ${why} with ${status} by itself`, async () => {
      await using server = await strictModel();
      await using harness = await gatewayHarness(server.url);
      assert.equal(await rawStatus(harness.gateway.url ?? '', method, path), status);
      assert.deepEqual(server.journal(), []);
    });

  test('answers a websocket with 426', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    assert.equal(await rawStatus(harness.gateway.url ?? '', 'GET', '/v1/responses', headers), 426);
  });

  test('opens no tunnel, and reports which host was requested', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    assert.equal(await rawStatus(harness.gateway.url ?? '', 'CONNECT', 'a.example:443'), 405);
    assert.deepEqual(
      factsOf(harness, 'unexpected-request').map(({ why, what }) => `${why} ${what}`),
      ['no-tunnel CONNECT a.example:443'],
    );
  });

  test('case 22: bounds the size of a request', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, { bounds: { requestBytesMax: 1000 } });
    const answer = await harness.ask('openai-chat', true, { body: { user: 'x'.repeat(1000) } });
    assert.equal(answer.status, 413);
    assert.deepEqual(
      factsOf(harness, 'unexpected-request').map(({ why }) => why),
      ['too-large'],
    );
  });

  test('case 22: answers a request that exceeds the bound without declaring its length', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, {
      bounds: { requestBytesMax: 100_000 },
    });
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(20_000)),
    });
    const headers = { 'x-api-key': TOKEN };
    const path = `${harness.gateway.url ?? ''}/v1/messages`;
    const answer = await fetch(path, { method: 'POST', headers, body, duplex: 'half' });
    assert.equal(answer.status, 413);
  });

  test('does not report every refused request for ever', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    for (let count = 0; count < 300; count += 1)
      await (await harness.ask('gemini', true, { token: 'x' })).text();
    const counts = factsOf(harness, 'unexpected-request').map(({ count }) => count);
    assert.deepEqual(counts.slice(99), [100, 128, 256]);
  });

  test('bounds the size of an answer', async () => {
    await using server = await strictModel({ script: { steps: [{ text: 'x'.repeat(100_000) }] } });
    await using harness = await gatewayHarness(server.url, {
      bounds: { responseBytesMax: 10_000 },
    });
    await assert.rejects(harness.ask('openai-chat').then((answer) => answer.text()));
    assert.equal(factsOf(harness, 'call-ended')[0]?.end, 'too-large');
  });

  test('forwards only JSON', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    const headers = { 'content-encoding': 'gzip' };
    assert.equal((await harness.ask('anthropic', true, { headers })).status, 400);
    assert.deepEqual(server.journal(), []);
  });

  test('case 16: removes its socket when it closes, and its token is void', async () => {
    await using dir = await tempDir();
    const socket = join(dir.path, 'gateway.sock');
    await using server = await strictModel();
    const harness = await gatewayHarness(server.url, { listen: { socket } });
    assert.equal(harness.gateway.url, undefined);
    assert.equal(await socketStatus(socket), 200);
    await harness.gateway.close();
    await assert.rejects(socketStatus(socket), { code: 'ENOENT' });
  });

  test('limits the number of concurrent calls', async () => {
    const open: (() => void)[] = [];
    let most = 0;
    await using server = await serve((_request, response) => {
      open.push(() => response.end('{"type":"message","stop_reason":"end_turn"}'));
      most = Math.max(most, open.length);
    });
    await using harness = await gatewayHarness(server.url);
    const asked = Array.from({ length: 25 }, async () => (await harness.ask('anthropic')).text());
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
