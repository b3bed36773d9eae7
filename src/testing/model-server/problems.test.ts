import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { anthropic } from './anthropic/anthropic-model.ts';
import { gemini } from './gemini/gemini-model.ts';
import { openaiChat } from './openai-chat/openai-chat-model.ts';
import { openaiResponses } from './openai-responses/openai-responses-model.ts';
import type { ModelProblem, ProblemKind } from './model-wire.ts';

const nowMs = Date.UTC(2026, 0, 1);

describe('the status of', () => {
  /** Anthropic, OpenAI (both wires) and Gemini. */
  const statuses: Readonly<Record<ProblemKind, readonly [number, number, number]>> = {
    'bad-request': [400, 400, 400],
    'context-overflow': [400, 400, 400],
    credit: [400, 400, 400],
    'no-key': [401, 401, 403],
    'bad-key': [401, 401, 400],
    unauthorized: [401, 401, 401],
    forbidden: [403, 403, 403],
    'model-not-found': [404, 404, 404],
    'path-not-found': [404, 404, 404],
    'too-large': [413, 413, 413],
    'rate-limit': [429, 429, 429],
    quota: [429, 429, 429],
    'usage-limit': [429, 429, 429],
    'server-error': [500, 500, 500],
    unavailable: [503, 503, 503],
    overloaded: [529, 529, 529],
  };
  for (const [kind, [first, second, third]] of Object.entries(statuses) as [
    ProblemKind,
    readonly [number, number, number],
  ][])
    test(`${kind} is each provider's own`, () => {
      const wires = [anthropic, openaiResponses, openaiChat, gemini];
      assert.deepEqual(
        wires.map((wire) => wire.problem({ kind, nowMs }).status),
        [first, second, second, third],
      );
    });
});

describe('a rate limit says when to retry', () => {
  const problem: ModelProblem = { kind: 'rate-limit', retryAfterS: 7, model: 'm', nowMs };

  test('in Anthropic headers', () => {
    assert.deepEqual(anthropic.problem(problem).headers, {
      'retry-after': '7',
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:00.000Z',
      'anthropic-ratelimit-input-tokens-limit': '40000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:07.000Z',
    });
  });

  test('in OpenAI headers and text', () => {
    const { headers, body } = openaiChat.problem(problem);
    assert.equal(headers['retry-after'], '7');
    assert.equal(headers['x-ratelimit-reset-tokens'], '7s');
    assert.match(JSON.stringify(body), /Please try again in 7s\..*"code":"rate_limit_exceeded"/);
  });

  test('in details of the Gemini body', () => {
    const output = JSON.stringify(gemini.problem(problem).body);
    assert.match(output, /"status":"RESOURCE_EXHAUSTED".*PerMinute.*"retryDelay":"7s"/);
  });
});

describe('a spent quota is not a rate limit', () => {
  const problem: ModelProblem = { kind: 'quota', retryAfterS: 3600, nowMs };

  test('for Anthropic by the headers of a subscription', () => {
    const { headers } = anthropic.problem(problem);
    assert.equal(headers['anthropic-ratelimit-unified-status'], 'rejected');
    assert.equal(headers['anthropic-ratelimit-unified-reset'], String(nowMs / 1000 + 3600));
  });

  test('for OpenAI by its code, and without a time', () => {
    const { headers, body } = openaiResponses.problem(problem);
    assert.deepEqual(headers, {});
    assert.match(JSON.stringify(body), /"code":"insufficient_quota"/);
  });

  test('for a ChatGPT plan by its type and reset', () => {
    const { body } = openaiResponses.problem({ ...problem, kind: 'usage-limit' });
    assert.match(JSON.stringify(body), /"type":"usage_limit_reached".*"resets_in_seconds":3600/);
  });

  test('for Gemini by the quota of a day', () => {
    assert.match(JSON.stringify(gemini.problem(problem).body), /PerDay/);
  });
});
