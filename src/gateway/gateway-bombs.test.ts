import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { factsOf, gatewayHarness, strictModel, TOKEN } from '../../test/support/gateway-harness.ts';
import { questionOn } from '../testing/model-server/ask-model.ts';
import { openaiChat } from './wires/openai-chat-wire.ts';
import { openaiResponses } from './wires/openai-responses-wire.ts';

const MB = 1_000_000;
const brotli = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const objects = Buffer.from(`{"messages":[${'{},'.repeat(MB)}{}]}`);
const inText = Buffer.from(JSON.stringify({ messages: [], a: '{},'.repeat(10) }));

describe('a request that is small on the wire and large once it is parsed (H3)', () => {
  const cases: [why: string, encoding: string, body: Buffer, status: number, says: RegExp][] = [
    ['objects, plain', '', objects, 413, /too many values/],
    ['objects, gzip', 'gzip', gzipSync(objects), 413, /too large after decompression/],
    ['objects, deflate', 'deflate', deflateSync(objects), 413, /too large after decompression/],
    ['objects, brotli', 'br', brotli(objects), 413, /too large after decompression/],
    ['objects, zstd', 'zstd', zstdCompressSync(objects), 413, /too large after decompression/],
    [
      'objects in gzip written in capitals',
      'GZIP',
      gzipSync(objects),
      413,
      /too large after decompression/,
    ],
    ['depth', '', Buffer.from(`{"a":${'['.repeat(5000)}`), 413, /too many nested levels/],
    [
      'depth, gzip',
      'gzip',
      gzipSync(Buffer.from('{"a":['.repeat(90_000))),
      413,
      /too many nested levels/,
    ],
    ['numbers', '', Buffer.from(`{"a":[${'1,'.repeat(MB)}1]}`), 413, /too many values/],
    ['a number', '', Buffer.from(`{"a":${'1'.repeat(MB)}}`), 413, /a string that is too long/],
    ['packed twice', 'gzip, gzip', gzipSync(gzipSync(inText)), 415, /use none, gzip/],
    ['an unknown encoding', 'compress', inText, 415, /use none, gzip/],
    ['a body whose encoding does not match its header', 'gzip', inText, 400, /not a JSON object/],
    [
      'a compressed body that is truncated',
      'zstd',
      zstdCompressSync(inText).subarray(0, 20),
      400,
      /not a JSON/,
    ],
  ];
  for (const [why, encoding, body, status, says] of cases) {
    test(`is refused in the provider's own error format: ${why}`, async () => {
      await using server = await strictModel();
      await using harness = await gatewayHarness(server.url);
      const { path } = questionOn('anthropic', 'hello');
      const packed = encoding === '' ? {} : { 'content-encoding': encoding };
      const answer = await fetch(`${harness.gateway.url ?? ''}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': TOKEN, ...packed },
        body,
      });
      const said = (await answer.json()) as { type: string; error: { message: string } };
      assert.deepEqual([answer.status, said.type], [status, 'error']);
      assert.match(said.error.message, says);
      assert.equal(factsOf(harness, 'unexpected-request').length, 1);
      assert.deepEqual(server.journal(), []);
    });
  }

  test('is not parsed if it is JSON inside a JSON string: the arguments of a tool', () => {
    const args = `[${'{},'.repeat(1000)}{}]`;
    const asked = { name: 'x', arguments: args };
    const chat = openaiChat.readRequest(
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: asked }] }] },
      '',
    );
    const responses = openaiResponses.readRequest(
      { input: [{ type: 'function_call', call_id: 'c', ...asked }] },
      '',
    );
    const unit = { kind: 'call', id: 'c', name: 'x', args };
    assert.deepEqual([chat.units, responses.units], [[unit], [unit]]);
  });
});
