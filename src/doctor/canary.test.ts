import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EMPTY_TRANSCRIPT } from '../adapters/transcript.ts';
import type { Canary, CanaryResult } from './canary.ts';
import { CANARIES, CANARY_PROMPT, CANARY_WORDS, findDrift } from './canary.ts';

const good: CanaryResult = {
  transcript: {
    ...EMPTY_TRANSCRIPT,
    session: 's',
    toolsUsed: 1,
    lastWords: CANARY_WORDS,
    usage: { inputTokens: 3, outputTokens: 2, cachedTokens: 0, costUsd: null },
  },
  verdict: { kind: 'done', summary: CANARY_WORDS },
  requests: [JSON.stringify({ prompt: CANARY_PROMPT })],
  refusals: [],
  fileContent: 'tweet\n',
};

describe('a canary', () => {
  const silent = { ...good.transcript, usage: null };
  const cases: [why: string, seen: Partial<CanaryResult>, drift: readonly string[]][] = [
    ['that is well shows no drift', {}, []],
    [
      'that never arrived',
      { requests: [], verdict: { kind: 'died', message: 'exited with code 1' } },
      ['it did not call the configured model (exited with code 1)'],
    ],
    [
      'whose prompt was cut',
      { requests: ['{"prompt":"Write"}'] },
      ['the prompt did not arrive complete'],
    ],
    [
      'that the model refused',
      { refusals: ['openai-chat:known-keys'] },
      ['the model refused what it sent: openai-chat:known-keys'],
    ],
    ['whose tool did nothing', { fileContent: null }, ['the tool did not write the file']],
    [
      'that speaks another language',
      { transcript: EMPTY_TRANSCRIPT },
      [
        'no conversation id was seen',
        'no tool call was seen',
        'the final message was not seen',
        'no token usage was seen',
      ],
    ],
    [
      'that ends in another way',
      { verdict: { kind: 'interrupted', message: 'ended without its final message' } },
      ['its exit was classified as a failure: ended without its final message'],
    ],
  ];
  const claude = CANARIES['claude'] as Canary;
  for (const [why, seen, drift] of cases)
    test(why, () => assert.deepEqual(findDrift(claude, { ...good, ...seen }), drift));

  test('of Copilot reports no tokens, which is not drift', () => {
    const copilot = CANARIES['copilot'] as Canary;
    assert.deepEqual(findDrift(copilot, { ...good, transcript: silent }), []);
  });
});
