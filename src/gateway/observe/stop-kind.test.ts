import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyStop } from './stop-kind.ts';
import type { StopKind } from './stop-kind.ts';

const one = [{ name: 'shell', args: {} }];

describe('why a model ended its answer', () => {
  const rows: [kind: StopKind, words: readonly string[]][] = [
    ['end', ['end_turn', 'stop_sequence', 'stop', 'completed', 'STOP', 'COMPLETE', 'eos']],
    [
      'length',
      [
        ...['max_tokens', 'model_context_window_exceeded', 'length', 'max_output_tokens'],
        ...['MAX_TOKENS', 'model_length', 'max_completion_tokens'],
      ],
    ],
    [
      'filter',
      [
        ...['refusal', 'content_filter', 'SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT'],
        ...['SPII', 'IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'LANGUAGE', 'guardrail_intervened'],
      ],
    ],
    [
      'unfinished',
      [
        ...[
          'tool_use',
          'tool_calls',
          'function_call',
          'pause_turn',
          'incomplete',
          'failed',
          'unknown',
        ],
        ...['other', 'error', 'OTHER', 'FINISH_REASON_UNSPECIFIED', 'MALFORMED_FUNCTION_CALL'],
        ...['insufficient_system_resource', 'cancelled', 'in_progress', 'never heard of'],
      ],
    ],
  ];
  for (const [kind, words] of rows)
    for (const stop of words)
      test(`${stop} is ${kind}`, () => assert.equal(classifyStop({ stop, calls: [] }), kind));

  for (const stop of ['tool_use', 'tool_calls', 'function_call', 'stop', 'STOP', 'completed'])
    test(`${stop} with a call asks for a tool`, () =>
      assert.equal(classifyStop({ stop, calls: one }), 'tools'));

  test('an answer without a stop reason is unfinished, whatever it asks for', () =>
    assert.equal(classifyStop({ stop: null, calls: one }), 'unfinished'));

  test('a call in an answer that was cut for its length does not count, because it may be partial', () =>
    assert.equal(classifyStop({ stop: 'length', calls: one }), 'length'));
});
