import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { eventually } from '../../../test/support/eventually.ts';
import {
  factsOf,
  gatewayHarness,
  SECRET,
  serve,
  strictModel,
  TOKEN,
  WIRES,
} from '../../../test/support/gateway-harness.ts';
import { turnCall } from '../../turns/turn-step.ts';

describe('a call', () => {
  for (const wire of WIRES)
    for (const stream of [true, false])
      test(`of ${wire}, ${stream ? 'streamed' : 'whole'}, reaches its provider with the real key and is reported`, async () => {
        const usage = {
          inputTokens: 1000,
          cachedTokens: 100,
          outputTokens: 20,
          reasoningTokens: 0,
        };
        const calls = [{ name: 'Bash', args: { command: 'ls' } }];
        await using server = await strictModel({
          script: { steps: [{ text: 'Look.', calls, usage }] },
        });
        await using harness = await gatewayHarness(server.url);
        const answer = await harness.ask(wire, stream);
        assert.equal(answer.status, 200);
        assert.match(await answer.text(), /Look\./);
        await eventually('the price is reported', () => harness.facts.length === 4);

        const about = {
          number: 1,
          wire,
          kind: 'main',
          conversation: 'conversation-1',
          model: server.journal()[0]?.model ?? '',
        };
        const [begun, ended, turn, paid] = harness.facts;
        const requestBytes = server.journal()[0]?.bytes;
        assert.deepEqual(begun, { kind: 'call-begun', at: 0, call: about, requestBytes });
        assert.ok(ended?.kind === 'call-ended');
        const { responseBytes, costUsd, stopWord, ...told } = ended;
        const inputTokens = wire === 'anthropic' ? 1100 : 1000;
        assert.deepEqual(told, {
          kind: 'call-ended',
          at: 0,
          call: about,
          end: 'answered',
          status: 200,
          stop: 'tools',
          usage: { inputTokens, cachedTokens: 100, cacheWriteTokens: 0, outputTokens: 20 },
          ms: 0,
          firstByteMs: 0,
          requestBytes,
          decisive: false,
        });
        assert.ok(responseBytes > 100 && costUsd !== null && costUsd > 0);
        assert.ok(turn?.kind === 'turn');
        const { contextTokensMax, stop, ...seen } = turn.turn;
        assert.ok((contextTokensMax ?? 0) > 0 && stop !== null && stop === stopWord);
        assert.deepEqual(seen, {
          conversation: 'conversation-1',
          kind: 'main',
          number: 1,
          model: about.model,
          steps: [],
          calls: calls.map(({ name, args }) => turnCall({ tool: name, input: args })),
          text: 'Look.',
          contextTokens: inputTokens,
          outputTokens: 20,
        });
        const tokens = inputTokens + 20;
        assert.deepEqual(paid, {
          kind: 'call-settled',
          at: 0,
          call: about,
          cost: { tokens, usd: costUsd, inputTokens, outputTokens: 20 },
        });
      });

  test('forwards the bytes of any answer unchanged', async () => {
    const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7919) % 256));
    await using server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-odd': 'kept' });
      for (let at = 0; at < noise.length; at += 7001) response.write(noise.subarray(at, at + 7001));
      response.end();
    });
    await using harness = await gatewayHarness(server.url);
    const answer = await harness.ask('anthropic');
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.headers.get('x-odd'), 'kept');
    assert.equal(sha(bytes), sha(noise));
    await eventually('it is told', () =>
      harness.facts.map(({ kind }) => kind).includes('call-settled'),
    );
    assert.deepEqual(
      harness.facts.map(({ kind }) => kind),
      ['call-begun', 'call-ended', 'call-settled'],
    ); // no turn: the answer could not be parsed
  });

  test("requests an uncompressed answer, with the agent's body and the allowed headers", async () => {
    const seen: { headers: IncomingMessage['headers']; url: string; body: string }[] = [];
    await using server = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push({ headers: request.headers, url: request.url ?? '', body });
        response.end('{}');
      });
    });
    await using harness = await gatewayHarness(`${server.url}/prefix/`);
    const headers = {
      'accept-encoding': 'zstd',
      'anthropic-beta': 'one,two',
      cookie: 'a=b',
      authorization: 'Bearer something',
      'x-forwarded-for': '1.2.3.4',
    };
    await (await harness.ask('anthropic', true, { headers })).text();
    const { host, connection, 'content-length': length, ...rest } = seen[0]?.headers ?? {};
    assert.equal(seen[0]?.url, '/prefix/v1/messages');
    assert.equal(host, new URL(server.url).host);
    assert.equal(Number(length), seen[0].body.length);
    assert.ok(connection === 'keep-alive');
    delete rest['user-agent'];
    delete rest['accept-language'];
    delete rest['sec-fetch-mode'];
    assert.deepEqual(rest, {
      accept: '*/*',
      'accept-encoding': 'identity',
      'anthropic-beta': 'one,two',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      'x-api-key': SECRET,
    });
  });

  test('with a login carries the login in the authorization header', async () => {
    const login = 'oat-login-0123456789abcdef';
    await using server = await strictModel({ keys: [login] });
    const upstream = { base: server.url, credential: { kind: 'login', value: login } as const };
    await using harness = await gatewayHarness(server.url, { upstreams: { anthropic: upstream } });
    const answer = await harness.ask('anthropic', true, {
      headers: { 'x-api-key': '', authorization: `Bearer ${TOKEN}` },
    });
    assert.equal(answer.status, 200);
    await answer.text();
  });

  test('is distinguished from side calls, and each conversation counts its turns', async () => {
    await using server = await strictModel();
    await using harness = await gatewayHarness(server.url);
    const main = { 'x-claude-code-session-id': 's' };
    const asks: [Record<string, string>, object][] = [
      [main, {}],
      [main, {}], // a retry, byte for byte
      [{ ...main, 'x-claude-code-agent-id': 'a' }, {}],
      [main, { tools: [] }],
      [main, { stream: false, messages: [{ role: 'user', content: 'more' }] }],
    ];
    for (const [headers, body] of asks)
      await (await harness.ask('anthropic', true, { headers, body })).text();
    await eventually('all are told', () => factsOf(harness, 'call-ended').length === 5);
    assert.deepEqual(
      factsOf(harness, 'call-ended').map(({ call }) => `${call.conversation} ${call.kind}`),
      ['s main', 's main', 's/a sub', 's side', 's main'],
    );
    assert.deepEqual(
      factsOf(harness, 'turn').map(({ turn }) => `${turn.conversation} ${turn.number}`),
      ['s 1', 's 1', 's/a 1', 's 2'],
    );
  });

  test('is relayed at the pace of its reader', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    const all = 1000;
    let sent = 0;
    await using server = await serve((_request, response) => {
      const more = (): void => {
        while (sent < all) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    await using harness = await gatewayHarness(server.url);
    const answer = await harness.ask('anthropic');
    let before = -1;
    await eventually('nothing more is read', async () => {
      const was = before;
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return was === before && before === sent;
    });
    assert.ok(sent < all, 'the gateway buffered the whole answer');
    assert.equal((await answer.arrayBuffer()).byteLength, all * chunk.length);
  });

  test('whose answer is compressed anyway is forwarded compressed, and read', async () => {
    const usage = { input_tokens: 7, output_tokens: 3 };
    const message = { type: 'message', content: [], stop_reason: 'end_turn', usage };
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const packed = pack(JSON.stringify(message));
      await using server = await serve((_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(packed);
      });
      await using harness = await gatewayHarness(server.url);
      assert.deepEqual(await (await harness.ask('anthropic', false)).json(), message);
      await eventually('it is told', () => factsOf(harness, 'call-ended').length === 1);
      const [ended] = factsOf(harness, 'call-ended');
      assert.deepEqual([ended?.usage?.inputTokens, ended?.responseBytes], [7, packed.length]);
    }
  });

  test('case 43: with extreme nesting is refused, and an answer like that is only forwarded', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    await using server = await serve((_request, response) => response.end(deep));
    await using harness = await gatewayHarness(server.url);
    assert.equal(await (await harness.ask('anthropic', false)).text(), deep);
    const body = `{"model":"m","tools":[{}],"messages":${deep}}`;
    const headers = { 'x-api-key': TOKEN };
    const path = `${harness.gateway.url ?? ''}/v1/messages`;
    assert.equal((await fetch(path, { method: 'POST', headers, body })).status, 413);
  });
});

function sha(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
