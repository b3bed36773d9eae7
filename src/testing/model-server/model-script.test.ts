import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Cue, Script } from './model-script.ts';
import { countResults, cueFor, replyTo, buildSample } from './model-script.ts';
import type { MessageUnit } from './model-wire.ts';

const prompt = (text: string): MessageUnit => ({ kind: 'prompt', text });
const call = (id: string): MessageUnit => ({ kind: 'call', id, name: 'Bash' });
const result = (id: string): MessageUnit => ({ kind: 'result', id, text: 'ok' });
const tool = { name: 'Bash', args: {} };

const one = { calls: [tool] };
const two = { calls: [tool, tool] };
const done = { text: 'All done.' };

describe('the step of a conversation', () => {
  const plain: Script = { steps: [one, two, done] };
  const loop: Script = { steps: [one], after: 'repeat' };
  const perPrompt: Script[] = [
    { when: 'second', steps: [one, { text: 'second done' }] },
    { when: 'first', steps: [done] },
  ];
  const cases: [why: string, scripts: Script[], units: MessageUnit[], cue: Cue][] = [
    ['is the first before any result', [plain], [prompt('hi')], { step: 0, answer: one }],
    [
      'moves on with a result',
      [plain],
      [prompt('hi'), call('a'), result('a')],
      { step: 1, answer: two },
    ],
    [
      'moves on once all calls of a step are answered',
      [plain],
      [prompt('hi'), result('a'), result('b'), result('c')],
      { step: 2, answer: done },
    ],
    [
      'does not move when a result is sent twice',
      [plain],
      [prompt('hi'), result('a'), result('a')],
      { step: 1, answer: two },
    ],
    [
      'does not move with a text in between',
      [plain],
      [prompt('hi'), result('a'), prompt('also this')],
      { step: 1, answer: two },
    ],
    [
      'is past the end when the script is over',
      [{ steps: [one] }],
      [result('a')],
      { step: 1, answer: { text: 'Done.' } },
    ],
    [
      'is past the end and yet the last one, for an agent that loops',
      [loop],
      [result('a'), result('b')],
      { step: 1, answer: one },
    ],
    [
      'counts from the prompt that selected the script',
      perPrompt,
      [prompt('the first'), result('a'), prompt('the second')],
      { step: 0, answer: one },
    ],
    [
      'continues to count from there',
      perPrompt,
      [prompt('the first'), result('a'), prompt('the second'), result('b')],
      { step: 1, answer: { text: 'second done' } },
    ],
    [
      'is an end in plain words if no script fits',
      perPrompt,
      [prompt('the third')],
      { step: 0, answer: { text: 'Done.' } },
    ],
  ];
  for (const [why, scripts, units, cue] of cases)
    test(why, () => assert.deepEqual(cueFor(scripts, units), cue));
});

test('results without an id are counted one by one', () => {
  assert.equal(countResults([result(''), result(''), result('a'), result('a')]), 3);
});

test('usage that an answer leaves open is computed from its size', () => {
  let ids = 0;
  const nextId = () => String((ids += 1));
  assert.deepEqual(replyTo({ calls: [tool] }, { model: 'm', bytes: 401 }, 1999, nextId), {
    id: '1',
    model: 'm',
    createdS: 1,
    thought: '',
    text: '',
    calls: [{ name: 'Bash', args: {}, id: '2' }],
    usage: { inputTokens: 101, outputTokens: 7, cachedTokens: 0, reasoningTokens: 0 },
    stop: 'tools',
  });
});

test('usage that an answer gives is used', () => {
  const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 3, reasoningTokens: 4 };
  const reply = replyTo(
    { text: 'x', usage, stop: 'length' },
    { model: 'm', bytes: 9 },
    0,
    () => '',
  );
  assert.deepEqual([reply.usage, reply.stop], [usage, 'length']);
});

test('a schema is answered with the smallest value that it allows', () => {
  const schema = {
    type: 'OBJECT',
    properties: {
      reasoning: { type: 'STRING' },
      model_choice: { type: 'string', enum: ['flash', 'pro'] },
      score: { type: 'integer' },
      tags: { type: 'array' },
      sure: { type: 'boolean' },
      other: {},
    },
  };
  assert.deepEqual(buildSample(schema), {
    reasoning: 'text',
    model_choice: 'flash',
    score: 0,
    tags: [],
    sure: false,
    other: null,
  });
});
