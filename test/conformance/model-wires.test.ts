/** All wires carry the same content, streamed or whole, and no conversation crashes the server. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as fc from 'fast-check';

import { brokenRules } from '../../src/testing/model-server/admit-request.ts';
import { questionOn } from '../../src/testing/model-server/ask-model.ts';
import { classifyCall } from '../../src/gateway/calls/classify-call.ts';
import { findModelRoute } from '../../src/testing/model-server/model-route.ts';
import type { ScriptedAnswer } from '../../src/testing/model-server/model-script.ts';
import { ModelServer } from '../../src/testing/model-server/model-server.ts';
import type { WireName } from '../../src/testing/model-server/model-wire.ts';
import { readAnswer } from './read-answer.ts';

const WIRES: readonly WireName[] = ['anthropic', 'openai-responses', 'openai-chat', 'gemini'];

const calls = fc.record({
  name: fc.constantFrom('Bash', 'write_file'),
  args: fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
});
/** As they are after one trip through JSON, because that is how scripts are written. */
const answers = fc
  .record({
    thought: fc.string({ maxLength: 60 }),
    text: fc.string({ unit: 'grapheme', maxLength: 120 }),
    calls: fc.array(calls, { maxLength: 3 }),
    stop: fc.constantFrom('end', 'length'),
    usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
  })
  .map((answer) => JSON.parse(JSON.stringify(answer)) as Required<ScriptedAnswer>);

describe('a client reads the answer that the script meant', () => {
  for (const wire of WIRES)
    for (const stream of [true, false])
      test(`on the ${wire} wire, ${stream ? 'streamed' : 'whole'}`, async () => {
        let answer: ScriptedAnswer = {};
        await using server = await ModelServer.start({ script: () => answer });
        const { path, headers, body } = questionOn(wire, 'hi', { stream });
        const init = { method: 'POST', headers, body: JSON.stringify(body) };
        await fc.assert(
          fc.asyncProperty(answers, async (meant) => {
            answer = meant;
            const received = await (await fetch(server.url + path, init)).text();
            assert.deepEqual(readAnswer(wire, stream, received), {
              thought: wire === 'openai-chat' ? '' : meant.thought,
              text: meant.text,
              calls: meant.calls,
              inputTokens: meant.usage.inputTokens,
              outputTokens: meant.usage.outputTokens,
              cutShort: meant.stop === 'length',
            });
          }),
          { numRuns: 60 },
        );
      });

  test('as a free text, for tools that take one', async () => {
    const calls = [{ name: 'apply_patch', args: '*** Begin Patch\n*** End Patch\n' }];
    await using server = await ModelServer.start({ script: { steps: [{ calls }] } });
    const { path, headers, body } = questionOn('openai-responses', 'hi', { stream: true });
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const received = await (await fetch(server.url + path, init)).text();
    assert.deepEqual(readAnswer('openai-responses', true, received).calls, calls);
  });
});

const VOCABULARY = [
  'messages input contents tools role content type id name tool_use_id tool_calls tool_call_id',
  'call_id function arguments parts functionCall functionResponse text output summary strange',
  'system systemInstruction generationConfig thinking output_config',
  'toString valueOf',
].flatMap((line) => line.split(' '));

/** Values made of the words that the rules look for, in all the wrong places. */
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom(null, true, 0, 1.5, '', ' ', 'x'),
    fc.constantFrom('user', 'assistant', 'tool', 'model', 'system'),
    fc.constantFrom('text', 'tool_use', 'tool_result', 'message', 'function_call', 'reasoning'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...VOCABULARY), tie('value'), { maxKeys: 6 }),
  ),
}));

test('any body gets a verdict from every rule, and none crashes one', () => {
  const paths = [
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/responses',
    '/v1/chat/completions',
    '/v1beta/models/m:generateContent',
    '/v1beta/models/m:countTokens',
  ];
  const bodies = fc.dictionary(
    fc.constantFrom('model', 'messages', 'input', 'contents', 'tools', 'system', 'text', 'stream'),
    anything,
  );
  fc.assert(
    fc.property(fc.constantFrom(...paths), bodies, (path, body) => {
      const route = findModelRoute('POST', path, {});
      const asked = { body, headers: {} };
      const everything = new Set(
        Object.keys(route.rules).map((rule) => `${route.wire.name}:${rule}`),
      );
      const { broken } = brokenRules(route, asked, everything);
      assert.equal(broken, undefined);
      classifyCall({}, route.wire.read(asked, path));
    }),
    { numRuns: 2000 },
  );
});
