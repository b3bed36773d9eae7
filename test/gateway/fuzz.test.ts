/**
 * Ten thousand requests that no client would send, from a seed. The gateway and the proxy neither
 * crash nor hang, they still serve afterwards, and nothing leaves that is not on their lists.
 * `FUZZ_SEED=…` sets another seed.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';

import type { Random } from '../../src/base/random.ts';
import { randomInt, randomItem, seededRandom } from '../../src/base/random.ts';
import { ConnectProxy } from '../../src/gateway/network/connect-proxy.ts';
import { Gateway } from '../../src/gateway/gateway.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { askAt, serve, TOKEN, WIRES } from '../support/gateway-harness.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20261115);
const COUNT = 5000;
const AT_ONCE = 40;
const WAIT_MS = 5000;
/** A whole answer with a normal stop, for a client of any wire. */
const ANSWER = JSON.stringify({
  ...{ type: 'message', stop_reason: 'end_turn', object: 'response', status: 'completed' },
  choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
  candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
});
/** How long to wait for an answer before our side of the connection closes. */
const QUIET_MS = 50;

/**
 * Sends the bytes in the given pieces, and resolves with the response once the other side ends or
 * all is sent.
 */
function send(port: number, parts: readonly Buffer[], leaves: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const bound = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `no end within ${WAIT_MS} ms of ${JSON.stringify(Buffer.concat(parts).toString('latin1').slice(0, 300))}`,
        ),
      );
    }, WAIT_MS);
    socket.on(
      'data',
      (chunk: Buffer) => (received = (received + chunk.toString('latin1')).slice(0, 2000)),
    );
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(bound);
      resolve(received);
    });
    for (const part of parts) socket.write(part);
    if (leaves) socket.destroy();
    // No more bytes come: a reader that waits for more must not wait for ever.
    else setTimeout(() => socket.end(), QUIET_MS);
  });
}

function cut(random: Random, text: string): readonly Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const at = randomInt(random, 0, bytes.length);
  return random() < 0.7 ? [bytes] : [bytes.subarray(0, at), bytes.subarray(at)];
}

const ODD = [
  '\0',
  '\r\n',
  '\r',
  '\n',
  ' ',
  '\t',
  '%00',
  '%2e%2e',
  '../',
  '//',
  '@',
  ':',
  '?',
  '#',
  '\\',
  '\xff',
  '{',
  '"',
  ';',
  '[::1]',
  '127.0.0.1',
  'A'.repeat(9000),
] as const;

/** Some bytes of a good request changed, doubled, left out or replaced. */
function spoil(random: Random, good: string): string {
  let text = good;
  for (let times = randomInt(random, 1, 4); times > 0; times -= 1) {
    const at = randomInt(random, 0, text.length);
    const to = Math.min(text.length, at + randomInt(random, 0, 12));
    const inside = randomItem<string>(random, [
      '',
      randomItem(random, ODD),
      String.fromCharCode(randomInt(random, 0, 255)),
      text.slice(at, to).repeat(2),
    ]);
    text = text.slice(0, at) + inside + text.slice(to);
  }
  return text;
}

function modelRequest(random: Random): string {
  const { path, headers, body } = questionOn(
    randomItem(random, ['anthropic', 'openai-responses', 'openai-chat', 'gemini']),
    'hello',
    { stream: random() < 0.5 },
  );
  const method = randomItem(random, [
    'POST',
    'POST',
    'POST',
    'GET',
    'PUT',
    'CONNECT',
    'HEAD',
    'OPTIONS',
    'POST\x01',
  ]);
  const target = randomItem(random, [
    path,
    path,
    path,
    '/v1/files',
    '/v1/models',
    `http://elsewhere.test${path}`,
    `${path}/..`,
    '*',
    '/',
  ]);
  const written =
    random() < 0.7
      ? JSON.stringify(body)
      : randomItem(random, [
          '',
          '[]',
          '{',
          'null',
          '"x"',
          '{"messages":7,"input":{},"contents":"x","tools":{}}',
          `[${'['.repeat(5000)}`,
        ]);
  const length = random() < 0.85 ? written.length : randomInt(random, 0, 20_000);
  const lines = Object.entries(headers).map(
    ([name, value]) =>
      `${name}: ${value.replaceAll('sk-test-0123456789', random() < 0.8 ? TOKEN : 'wrong')}`,
  );
  const extra = randomItem(random, [
    '',
    '',
    '',
    'transfer-encoding: chunked\r\n',
    'connection: upgrade\r\nupgrade: websocket\r\n',
    'content-encoding: zstd\r\n',
    'expect: 100-continue\r\n',
    'host: other.test\r\n',
    'x-codex-turn-metadata: {"a":[}\r\n',
  ]);
  return `${method} ${target} HTTP/1.1\r\nhost: gateway\r\n${lines.join('\r\n')}\r\n${extra}content-length: ${length}\r\n\r\n${written}`;
}

function tunnelRequest(random: Random): string {
  const host = randomItem(random, [
    'model.test:443',
    'model.test:443',
    'elsewhere.test:443',
    'model.test:80',
    '127.0.0.1:443',
    '[::1]:443',
    'private.test:443',
    'a@model.test:443',
    'model.test.:443',
  ]);
  const method = randomItem(random, ['CONNECT', 'CONNECT', 'CONNECT', 'GET', 'POST', 'connect']);
  const more = randomItem(random, [
    '',
    '',
    'content-length: 5\r\n',
    'transfer-encoding: chunked\r\n',
    'proxy-authorization: Basic AAAA\r\n',
  ]);
  return `${method} ${host} HTTP/1.1\r\nhost: ${host}\r\n${more}\r\n${'x'.repeat(randomInt(random, 0, 50))}`;
}

async function storm(
  random: Random,
  port: number,
  draw: (random: Random) => string,
): Promise<Map<string, number>> {
  const answers = new Map<string, number>();
  for (let done = 0; done < COUNT; done += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, () => {
      const text = random() < 0.4 ? draw(random) : spoil(random, draw(random));
      return send(port, cut(random, text), random() < 0.1);
    });
    for (const received of await Promise.all(batch)) {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 'none';
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  }
  return answers;
}

test(
  `${COUNT} odd requests neither crash the gateway nor reach its upstream (seed ${SEED})`,
  { timeout: 300_000 },
  async () => {
    const seen = new Set<string>();
    await using upstream = await serve((request, response) => {
      seen.add(`${request.method} ${(request.url ?? '').replace(/\?.*/s, '')}`);
      const credential =
        request.headers['x-api-key'] ??
        request.headers['x-goog-api-key'] ??
        request.headers.authorization;
      if (
        !String(credential).includes('only-outside') ||
        JSON.stringify(request.headers).includes(TOKEN)
      )
        seen.add('a wrong credential');
      request.resume();
      request.on('end', () => response.end(ANSWER));
    });
    const upstreamOf = {
      base: upstream.url,
      credential: { kind: 'key', value: 'only-outside' } as const,
    };
    const gateway = await Gateway.start({
      listen: { port: 0 },
      token: TOKEN,
      upstreams: Object.fromEntries(WIRES.map((wire) => [wire, upstreamOf])),
      clock: systemClock,
      onFact: () => undefined,
    });
    const answers = await storm(
      seededRandom(SEED),
      Number(new URL(gateway.url ?? '').port),
      modelRequest,
    );
    for (const wire of WIRES) assert.equal((await askAt(gateway.url ?? '', wire)).status, 200);
    await gateway.close(); // rejects with any error inside
    const allowed =
      /^(?:POST \/v1\/(?:messages|responses|chat\/completions)(?:\/count_tokens|\/compact|\/input_tokens)?|POST \/v1(?:beta)?\/models\/[\w.-]+:(?:generateContent|streamGenerateContent|countTokens)|GET \/v1(?:beta)?\/models(?:\/[\w.-]+)?)$/;
    assert.deepEqual(
      [...seen].filter((what) => !allowed.test(what)),
      [],
    );
    assert.ok(
      (answers.get('200') ?? 0) > 50 && (answers.get('400') ?? 0) > 100,
      JSON.stringify([...answers]),
    );
  },
);

test(
  `${COUNT} odd requests open tunnels to listed hosts only (seed ${SEED})`,
  { timeout: 300_000 },
  async () => {
    const dialled = new Set<string>();
    await using far = await serve((_request, response) => response.end());
    const farPort = Number(new URL(far.url).port);
    const addresses: Readonly<Record<string, string>> = {
      'model.test': '93.184.216.34',
      'private.test': '10.0.0.1',
    };
    const proxy = await ConnectProxy.start({
      listen: { port: 0 },
      allow: [
        { host: 'model.test', port: 443 },
        { host: 'private.test', port: 443 },
      ],
      network: {
        resolve: (host) => Promise.resolve([addresses[host] ?? '8.8.8.8']),
        dial: (address, port) => {
          dialled.add(`${address}:${port}`);
          return Promise.resolve(connect(farPort, '127.0.0.1'));
        },
      },
      clock: systemClock,
      onFact: () => undefined,
    });
    const answers = await storm(seededRandom(SEED + 1), proxy.port ?? 0, tunnelRequest);
    assert.match(
      await send(
        proxy.port ?? 0,
        [
          Buffer.from(
            'CONNECT model.test:443 HTTP/1.1\r\nhost: model.test\r\n\r\nGET / HTTP/1.0\r\n\r\n',
          ),
        ],
        false,
      ),
      /^HTTP\/1.1 200/,
    );
    await proxy.close();
    assert.deepEqual([...dialled], ['93.184.216.34:443']);
    assert.ok(
      (answers.get('200') ?? 0) > 50 && (answers.get('403') ?? 0) > 100,
      JSON.stringify([...answers]),
    );
  },
);
