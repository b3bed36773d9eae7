/** Abuse cases of the gateway and the proxy, byte by byte over real sockets. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { ConnectProxy } from '../../src/gateway/network/connect-proxy.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { eventually } from '../support/eventually.ts';
import {
  askAt,
  factsOf,
  gatewayHarness,
  serve,
  strictModel,
  TOKEN,
} from '../support/gateway-harness.ts';
import type { GatewayHarness } from '../support/gateway-harness.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';

const WITHIN_MS = 120_000;

function portOf({ gateway }: GatewayHarness): number {
  return Number(new URL(gateway.url ?? '').port);
}

/**
 * Everything that arrives until the other side has ended, or until the text has occurred that many
 * times.
 */
function send(port: number, bytes: string, until: RegExp, times = 1): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      if ([...received.matchAll(new RegExp(until, 'g'))].length >= times) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(received));
  });
}

/** Not the best compression, which takes a minute for so much. */
function brotli(bytes: Buffer): Buffer {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
}

function statuses(received: string): readonly string[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
}

/** A good request on the wire of Anthropic, as bytes. */
function question(token = TOKEN, path?: string): string {
  const { path: own, headers, body } = questionOn('anthropic', 'hello');
  const given = { ...headers, 'x-api-key': token };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  const text = JSON.stringify(body);
  return `POST ${path ?? own} HTTP/1.1\r\nhost: gateway\r\n${lines.join('\r\n')}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

describe('a gateway under attack', { timeout: 300_000 }, () => {
  test('case 16: the token of one run opens no other gateway, and none once its own is closed', async () => {
    await using server = await strictModel();
    const own = await gatewayHarness(server.url, { token: 'of-the-first-run-0123456789' });
    await using other = await gatewayHarness(server.url, { token: 'of-the-second-run-0123456789' });
    const [at, otherAt] = [own.gateway.url ?? '', other.gateway.url ?? ''];
    const ask = (url: string, token: string): Promise<number> =>
      askAt(url, 'anthropic', false, { token }).then(({ status }) => status);
    const [first, second] = ['of-the-first-run-0123456789', 'of-the-second-run-0123456789'];
    assert.deepEqual([await ask(at, first), await ask(otherAt, second)], [200, 200]);
    await own.gateway.close();
    assert.equal(await ask(otherAt, first), 401);
    await assert.rejects(ask(at, first), /fetch failed/);
    assert.equal(server.journal().length, 2);
  });

  test('case 22: a second request in the same packet is judged separately', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    const bad = [question('no-token-of-ours'), question(TOKEN, '/v1/files'), question('x', '//x')];
    for (const second of bad) {
      const received = await send(portOf(harness), question() + second, /HTTP\/1\.1 \d{3} /, 2);
      assert.deepEqual(statuses(received), ['200', second.includes('/v1/files') ? '403' : '401']);
    }
    assert.equal(server.journal().length, bad.length);
  });

  test('case 22: a request with two different lengths is refused', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    const inner = question();
    const length = 'transfer-encoding: chunked\r\ncontent-length';
    const smuggled = question().replace('content-length', length) + inner;
    const twice = question().replace('content-length', 'content-length: 3\r\ncontent-length');
    const obscured = question().replace('content-length: ', 'transfer-encoding: x\r\nx-length: ');
    for (const bytes of [smuggled, twice, obscured]) {
      const received = await send(portOf(harness), bytes, /never said/);
      assert.deepEqual(statuses(received), ['400'], bytes.slice(0, 80));
    }
    assert.deepEqual(server.journal(), []);
  });

  test('case 47: a body that unpacks to far more than its size is not passed on', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    const much = Buffer.alloc(200_000_000, ' ');
    const packed = { gzip: gzipSync(much), zstd: zstdCompressSync(much), br: brotli(much) };
    const url = `${harness.gateway.url}${questionOn('anthropic', '').path}`;
    for (const [encoding, body] of Object.entries(packed)) {
      const headers = { 'x-api-key': TOKEN, 'content-encoding': encoding };
      assert.ok(body.length < 1_000_000);
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 413, encoding);
    }
    assert.deepEqual(server.journal(), []);
  });

  test('case 22: idle connections are bounded, and free their place when they close', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url, { bounds: { connectionsMax: 16 } });
    let closed = 0;
    const sockets = Array.from({ length: 200 }, (): Socket => {
      const socket = connect(portOf(harness), '127.0.0.1');
      socket.on('error', () => {}).on('close', () => (closed += 1));
      return socket;
    });
    await eventually('the others are sent away', () => closed === 184, WITHIN_MS);
    for (const socket of sockets) socket.destroy();
    await eventually(
      'there is room again',
      () =>
        harness.ask('anthropic', false).then(
          ({ status }) => status === 200,
          () => false, // a refused connection
        ),
      WITHIN_MS,
    );
  });

  test('case 22: an upload without end is cut off, and none of it is passed on', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    const headers = { 'x-api-key': TOKEN, 'content-type': 'application/json' };
    const path = questionOn('anthropic', '').path;
    const upload = request(`${harness.gateway.url}${path}`, {
      method: 'POST',
      headers,
      agent: false,
    });
    const over = new AbortController();
    upload.on('error', () => over.abort()).on('close', () => over.abort());
    upload.on('response', (answer) => answer.resume());
    const chunk = Buffer.alloc(1_000_000, ' ');
    let sent = 0;
    for (; sent < 1000 && !over.signal.aborted; sent += 1)
      await new Promise((resolve) => {
        upload.write(chunk, resolve);
        over.signal.addEventListener('abort', resolve, { once: true });
      });
    assert.ok(sent < 1000, 'a gigabyte was taken');
    assert.deepEqual(
      factsOf(harness, 'unexpected-request').map(({ why }) => why),
      ['too-large'],
    );
    assert.deepEqual(server.journal(), []);
  });
});

test('case 22: a refused tunnel ends its connection, whatever follows in it', async () => {
  const dialled: string[] = [];
  await using far = await serve((_request, response) => response.end());
  await using proxy = await ConnectProxy.start({
    listen: { port: 0 },
    allow: [{ host: 'model.test', port: 443 }],
    network: {
      resolve: () => Promise.resolve(['93.184.216.34']),
      dial: (address) => {
        dialled.push(address);
        return Promise.resolve(connect(Number(new URL(far.url).port), '127.0.0.1'));
      },
    },
    clock: systemClock,
    onFact: () => undefined,
  });
  const to = (host: string): string => `CONNECT ${host}:443 HTTP/1.1\r\nhost: ${host}:443\r\n\r\n`;
  const received = await send(
    proxy.port ?? 0,
    to('elsewhere.test') + to('model.test'),
    /never said/,
  );
  assert.deepEqual([statuses(received), dialled], [['403'], []]);
});
