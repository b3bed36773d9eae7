import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { READERS } from '../calls/call-route.ts';
import { TURN_BOUNDS } from '../../protocol/turn.ts';
import { TurnTracker } from './gateway-turns.ts';
import type { MessageUnit, ModelAnswer, WireName } from '../wires/wire.ts';

const ANSWER: ModelAnswer = {
  text: 'ok',
  calls: [],
  usage: { inputTokens: 10, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 2 },
  stop: 'end',
  error: null,
};
const about = {
  number: 1,
  wire: 'anthropic',
  kind: 'main',
  conversation: 'c',
  model: 'm',
} as const;

function prompt(text: string): MessageUnit {
  return { kind: 'prompt', text };
}

function called(id: string): MessageUnit {
  return { kind: 'call', id, name: 'Bash', args: { command: `run ${id}` } };
}

function answered(id: string, text = 'fine'): MessageUnit {
  return { kind: 'result', id, text };
}

test('a repeated request with the same conversation is the same turn', () => {
  const turns = new TurnTracker();
  const conversations = [['a'], ['a'], ['a', 'b'], ['a'], ['a', 'b', 'c']];
  const numbers = conversations.map(
    (texts) => turns.take(about, { units: texts.map(prompt) }, ANSWER, null).number,
  );
  assert.deepEqual(numbers, [1, 1, 2, 3, 4]);
});

describe('each tool call is in one turn, although every request repeats the conversation', () => {
  const task = prompt('task');
  const first = [task, called('a')];
  const second = [...first, answered('a'), called('b')];
  const requests: [
    why: string,
    requests: readonly (readonly MessageUnit[])[],
    ids: readonly (readonly string[])[],
  ][] = [
    [
      'as the conversation grows',
      [[task], [...first, answered('a')], [...second, answered('b')]],
      [[], ['a'], ['b']],
    ],
    [
      'in a request that is retried',
      [[task], [...first, answered('a')], [...first, answered('a')]],
      [[], ['a'], ['a']],
    ],
    [
      'if a resumed conversation repeats its history',
      [[...second, answered('b'), prompt('go on')]],
      [['b']],
    ],
    [
      'if a resumed conversation sends a result twice',
      [[...first, answered('a'), answered('a')]],
      [['a']],
    ],
    ['if calls and results alternate', [[task], [...second, answered('b')]], [[], ['a', 'b']]],
    [
      'after a compaction',
      [
        [...second, answered('b')],
        [prompt('summary'), called('c'), answered('c')],
      ],
      [['b'], ['c']],
    ],
    [
      'if a CLI drops old results',
      [
        [...second, answered('b')],
        [task, called('b'), answered('b'), called('c'), answered('c')],
      ],
      [['b'], ['c']],
    ],
    [
      'if a provider uses an id again',
      [
        [task],
        [...first, answered('a')],
        [...first, answered('a'), called('a'), answered('a', 'two')],
      ],
      [[], ['a'], ['a']],
    ],
    [
      'if the reminders between the messages change',
      [
        [task, prompt('reminder'), ...first, answered('a')],
        [...second, answered('b')],
      ],
      [['a'], ['b']],
    ],
  ];
  for (const [why, all, ids] of requests)
    test(why, () => {
      const turns = new TurnTracker();
      const seen = all.map((units) => turns.take(about, { units }, ANSWER, null).steps);
      assert.deepEqual(
        seen.map((steps) => steps.map(({ id }) => id)),
        ids,
      );
    });

  test('and a wire without ids joins results and calls by their order', () => {
    const units = [
      called(''),
      { ...called(''), name: 'Read' },
      answered('', 'one'),
      answered('', 'two'),
    ] as const;
    const { steps } = new TurnTracker().take(about, { units }, ANSWER, null);
    assert.deepEqual(
      steps.map(({ tool }) => tool),
      ['Bash', 'Read'],
    );
  });
});

test('a record is bounded, whatever the model writes', () => {
  const long = 'word '.repeat(100_000);
  const units = Array.from({ length: 100 }, (_, index) => [
    { kind: 'call', id: `${index}${long}`, name: long, args: { command: long, file_path: long } },
    { kind: 'result', id: `${index}${long}`, text: long, isError: true },
  ]).flat() as MessageUnit[];
  const calls = Array.from({ length: 100 }, () => ({ name: long, args: { command: long } }));
  const hostile = { ...about, conversation: long, model: long };
  const answer = { ...ANSWER, text: long, stop: long, calls };
  const turn = new TurnTracker().take(hostile, { units: [prompt(''), ...units] }, answer, null);
  assert.ok(turn.calls.length === TURN_BOUNDS.itemsMax);
  assert.ok(JSON.stringify(turn).length < 30_000);
});

describe('tool results that are errors are found', () => {
  const failed = 'Process exited with code 3\nOutput:\nno such file';
  const requests: Readonly<Record<WireName, object>> = {
    anthropic: {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'old', name: 'Read', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'old', is_error: true, content: 'old' }],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: failed }],
        },
      ],
    },
    'openai-responses': {
      input: [
        { type: 'function_call', call_id: 'a', name: 'Bash', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: failed },
      ],
    },
    'openai-chat': {
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', function: { name: 'Bash', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: failed },
      ],
    },
    gemini: {
      contents: [
        { role: 'model', parts: [{ functionCall: { id: 'a', name: 'Bash' } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'a', name: 'Bash', response: { error: failed } } }],
        },
      ],
    },
  };
  for (const [wire, body] of Object.entries(requests))
    test(`on the ${wire} wire`, () => {
      const request = READERS[wire as WireName].readRequest({ ...body }, '');
      const { steps } = new TurnTracker().take(about, request, ANSWER, null);
      assert.deepEqual(
        steps.map(({ tool, error }) => [tool, error]),
        [['Bash', 'not-found']],
      );
    });

  test('but a good result is not an error, whatever its text contains in the middle', () => {
    const output = `${'fine '.repeat(100)} exit code 1 ${'fine '.repeat(100)}`;
    const messages = [{ role: 'tool', tool_call_id: 'a', content: output }];
    const request = READERS['openai-chat'].readRequest({ messages }, '');
    const { steps } = new TurnTracker().take(about, request, ANSWER, null);
    assert.deepEqual(
      steps.map(({ error }) => error),
      [undefined],
    );
  });
});
