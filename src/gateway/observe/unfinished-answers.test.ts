import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { factsOf, gatewayHarness, serve } from '../../../test/support/gateway-harness.ts';
import type { CallKind } from '../calls/classify-call.ts';
import type { StopKind } from './stop-kind.ts';
import { UNFINISHED_MAX, UnfinishedAnswers } from './unfinished-answers.ts';
import type { WireName } from '../wires/wire.ts';

type AnswerEnd = readonly [kind: CallKind, conversation: string, stop: StopKind];

const loop: AnswerEnd = ['main', 'a', 'unfinished'];
const cases: [why: string, ends: readonly AnswerEnd[], tooMany: boolean][] = [
  ['as many in a row as are allowed', [loop, loop, loop, loop], true],
  ['one less', [loop, loop, loop], false],
  [
    'a tool call in between restarts the count',
    [loop, loop, ['main', 'a', 'tools'], loop, loop],
    false,
  ],
  [
    'length and filter count like a missing reason',
    [loop, ['main', 'a', 'length'], ['main', 'a', 'filter'], loop],
    true,
  ],
  [
    'one conversation that loops beside another that makes progress',
    [loop, ['sub', 'b', 'tools'], loop, ['sub', 'b', 'tools'], loop, ['sub', 'b', 'end'], loop],
    true,
  ],
  [
    'a conversation that has a new name each time',
    ['a', 'b', 'c', 'd'].map((name): AnswerEnd => ['main', name, 'unfinished']),
    true,
  ],
  [
    'side calls do not count',
    [
      ['main', 'a', 'end'],
      ...Array.from({ length: 9 }, (): AnswerEnd => ['side', 'b', 'unfinished']),
    ],
    false,
  ],
  [
    'calls without tools count if there are no others',
    Array.from({ length: 4 }, (): AnswerEnd => ['side', 'b', 'unfinished']),
    true,
  ],
];
for (const [why, ends, tooMany] of cases)
  test(`unfinished answers: ${why}`, () => {
    const answers = new UnfinishedAnswers();
    for (const [kind, conversation, stop] of ends) answers.take({ kind, conversation }, stop);
    assert.equal(answers.areTooMany, tooMany);
  });

const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const tool = { name: 'shell', description: '', parameters: { type: 'object', properties: {} } };

describe('D3: streams that end in good order without a result', () => {
  const streams: [
    why: string,
    wire: WireName,
    tools: readonly object[],
    stream: string,
    end: string,
  ][] = [
    [
      'no finish reason',
      'openai-chat',
      [{ type: 'function', function: tool }],
      `${sse({ choices: [{ index: 0, delta: { content: 'hm' } }] }, { choices: [], usage })}data: [DONE]\n\n`,
      'incomplete',
    ],
    [
      'tools that are not named',
      'openai-chat',
      [{ type: 'function', function: tool }],
      sse({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage }),
      'answered',
    ],
    [
      'no finishReason',
      'gemini',
      [{ functionDeclarations: [tool] }],
      sse({ candidates: [{ content: { role: 'model', parts: [{ text: 'hm' }] } }] }),
      'incomplete',
    ],
  ];
  for (const [why, wire, tools, stream, end] of streams)
    test(`${wire}, ${why}: the gateway ends it`, async () => {
      let requests = 0;
      await using server = await serve((request, response) => {
        requests += 1;
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
      });
      await using harness = await gatewayHarness(server.url);
      const statuses: number[] = [];
      for (let call = 0; call < UNFINISHED_MAX + 3; call += 1) {
        const answer = await harness.ask(wire, true, { body: { tools } });
        await answer.text();
        statuses.push(answer.status);
        const reported = Math.min(call + 1, UNFINISHED_MAX);
        await eventually('it is told', () => factsOf(harness, 'call-ended').length === reported);
      }
      assert.deepEqual(statuses, [
        ...Array.from({ length: UNFINISHED_MAX }, () => 200),
        400,
        400,
        400,
      ]);
      assert.equal(requests, UNFINISHED_MAX);
      assert.deepEqual(
        factsOf(harness, 'call-ended').map((fact) => [fact.end, fact.stop, fact.decisive]),
        Array.from({ length: UNFINISHED_MAX }, (_, index) => [
          end,
          'unfinished',
          index === UNFINISHED_MAX - 1,
        ]),
      );
    });
});
