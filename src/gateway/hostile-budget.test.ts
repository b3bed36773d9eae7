/** Agents that try to spend more than a dollar, and a provider that charges by its own count. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import { systemClock } from '../host/system-clock.ts';
import { startBillingProvider } from '../testing/billing-provider.ts';
import type { BillingOptions } from '../testing/billing-provider.ts';
import { eventually } from '../testing/eventually.ts';
import { rigOn, TOKEN } from '../testing/gateway-rig.ts';
import { NO_CAPS } from './budget.ts';
import { Purse } from './purse.ts';

const CAP_USD = 1;
const OPUS = { model: 'claude-opus-4-8', max_tokens: 128_000 };
const PROMPT = [{ role: 'user', content: 'hello' }];
const MESSAGES = { ...OPUS, stream: true, messages: PROMPT };
const CHAT = { model: 'gpt-5.5', messages: PROMPT };
const RESPONSES = { model: 'gpt-5.5', input: PROMPT };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
const PRO = '/v1beta/models/gemini-2.5-pro:generateContent';

type Post = (
  path: string,
  body: object | string,
  more?: { readonly signal?: AbortSignal; readonly headers?: Record<string, string> },
) => Promise<Response | undefined>;

/** Whatever it is answered, the agent goes on. */
type Agent = (post: Post, calls: () => number) => Promise<unknown>;

function times(count: number, ask: (nth: number) => Promise<unknown>): Promise<unknown> {
  return Array.from({ length: count }).reduce<Promise<unknown>>(
    (before, _one, nth) => before.then(() => ask(nth)),
    Promise.resolve(),
  );
}

const read = async (answer: Promise<Response | undefined>): Promise<string> =>
  (await (await answer)?.text().catch(() => '')) ?? '';

/** Reads the first piece of the answer and hangs up. */
async function peek(post: Post, path: string, body: object): Promise<void> {
  const leaves = new AbortController();
  const answer = await post(path, body, { signal: leaves.signal });
  await answer?.body
    ?.getReader()
    .read()
    .catch(() => undefined);
  leaves.abort();
}

/** Hangs up as soon as the request has arrived, before a word comes back. */
async function leaveEarly(
  post: Post,
  calls: () => number,
  path: string,
  body: object,
): Promise<void> {
  const leaves = new AbortController();
  const before = calls();
  const answer = post(path, body, { signal: leaves.signal });
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  await eventually('it is under way', () => calls() > before || isAnswered);
  leaves.abort();
  await answer;
}

const pdf = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' },
};
const dense = '你好'.repeat(30_000);
const cached = { type: 'text', text: dense, cache_control: { type: 'ephemeral', ttl: '1h' } };

const AGENTS: readonly (readonly [does: string, agent: Agent, options?: BillingOptions])[] = [
  [
    'cuts each stream before its last event',
    (post) => times(20, () => peek(post, '/v1/messages', MESSAGES)),
  ],
  [
    'leaves before the headers come',
    (post, calls) => times(12, () => leaveEarly(post, calls, '/v1/messages', MESSAGES)),
    { answers: 'hang' },
  ],
  [
    'asks ten times at once',
    (post) => Promise.all(Array.from({ length: 10 }, () => read(post('/v1/messages', MESSAGES)))),
  ],
  [
    'asks fifty times at once for a little, on all wires',
    (post) =>
      Promise.all(
        Array.from({ length: 50 }, (_one, nth) =>
          nth % 2 === 0
            ? read(post('/v1/messages', { ...MESSAGES, max_tokens: 4000 }))
            : read(post('/v1/chat/completions', { ...CHAT, max_tokens: 4000 })),
        ),
      ),
  ],
  [
    'streams a chat without asking for its usage',
    (post) => times(10, () => read(post('/v1/chat/completions', { ...CHAT, stream: true }))),
  ],
  [
    'asks for twenty answers at once',
    (post) => times(5, () => read(post('/v1/chat/completions', { ...CHAT, n: 20 }))),
  ],
  [
    'asks for the best of twenty',
    (post) => times(5, () => read(post('/v1/chat/completions', { ...CHAT, best_of: 20 }))),
  ],
  [
    'compacts again and again',
    (post) => times(25, () => read(post('/v1/responses/compact', RESPONSES))),
  ],
  [
    'works in the background',
    (post) => times(5, () => read(post('/v1/responses', { ...RESPONSES, background: true }))),
  ],
  [
    'asks for the priority tier',
    (post) =>
      times(5, () => read(post('/v1/responses', { ...RESPONSES, service_tier: 'priority' }))),
  ],
  [
    'asks for a tier that no price list has',
    (post) => times(5, () => read(post('/v1/responses', { ...RESPONSES, service_tier: 'ultra' }))),
  ],
  [
    'asks for fast mode in one region',
    (post) =>
      times(5, () =>
        read(post('/v1/messages', { ...MESSAGES, speed: 'fast', inference_geo: 'us' })),
      ),
  ],
  [
    'writes long prompts into a cache that lives an hour',
    (post) =>
      times(5, () =>
        read(
          post('/v1/messages', { ...MESSAGES, messages: [{ role: 'user', content: [cached] }] }),
        ),
      ),
  ],
  [
    'names its limit twice',
    (post) =>
      times(5, () =>
        read(
          post(
            '/v1/messages',
            '{"max_tokens":128000,"model":"claude-opus-4-8","messages":[{"role":"user","content":"hello"}],"max_tokens":10}',
          ),
        ),
      ),
  ],
  [
    'writes its limit as a text',
    (post) => times(5, () => read(post('/v1/messages', { ...MESSAGES, max_tokens: '128000' }))),
  ],
  [
    'names a limit that means none',
    (post) => times(5, () => read(post('/v1/messages', { ...MESSAGES, max_tokens: -1 }))),
  ],
  [
    'names a limit of nothing',
    (post) => times(5, () => read(post('/v1/messages', { ...MESSAGES, max_tokens: 0 }))),
  ],
  [
    'names another model in the body than in the path',
    (post) => times(5, () => read(post(PRO, { ...GEMINI, model: 'models/gemini-4-ultra' }))),
  ],
  [
    'asks for a tier in a header',
    (post) =>
      times(5, () =>
        read(post('/v1/responses', RESPONSES, { headers: { 'x-service-tier': 'priority' } })),
      ),
  ],
  [
    'names a small and a large limit',
    (post) =>
      times(5, () =>
        read(
          post('/v1/chat/completions', { ...CHAT, max_completion_tokens: 10, max_tokens: 128_000 }),
        ),
      ),
  ],
  [
    'writes fields in the other way of writing',
    (post) =>
      times(10, () =>
        read(
          post(PRO, {
            ...GEMINI,
            generation_config: { candidate_count: 8, max_output_tokens: 60_000 },
          }),
        ),
      ),
  ],
  [
    'writes one field in both ways',
    (post) =>
      times(10, () =>
        read(
          post(PRO, {
            ...GEMINI,
            generationConfig: { maxOutputTokens: 10 },
            generation_config: { max_output_tokens: 60_000 },
          }),
        ),
      ),
  ],
  [
    'goes on from an answer that is stored',
    (post) =>
      times(5, () =>
        read(
          post('/v1/responses', {
            ...RESPONSES,
            previous_response_id: 'resp_1',
            max_output_tokens: 16,
          }),
        ),
      ),
  ],
  [
    'reads what is cached at the provider',
    (post) =>
      times(5, () =>
        read(
          post(PRO, {
            ...GEMINI,
            cached_content: 'cachedContents/1',
            generationConfig: { maxOutputTokens: 16 },
          }),
        ),
      ),
  ],
  [
    'sends a document of a few bytes and many pages',
    (post) =>
      times(5, () =>
        read(
          post('/v1/messages', {
            ...MESSAGES,
            max_tokens: 16,
            messages: [{ role: 'user', content: [pdf] }],
          }),
        ),
      ),
  ],
  [
    'sends text that has a token for each byte',
    (post) =>
      times(10, () =>
        read(
          post('/v1/messages', {
            ...MESSAGES,
            max_tokens: 16,
            messages: [{ role: 'user', content: dense }],
          }),
        ),
      ),
  ],
  [
    'sends prompts that are long enough to cost more',
    (post) =>
      times(5, () =>
        read(post(PRO, { contents: [{ role: 'user', parts: [{ text: dense.repeat(2) }] }] })),
      ),
  ],
  [
    'uses a snapshot that is dearer than its model',
    (post) =>
      times(20, () => read(post('/v1/chat/completions', { ...CHAT, model: 'gpt-4o-2024-05-13' }))),
  ],
  [
    'uses a model without a price',
    (post) => times(5, () => read(post('/v1/chat/completions', { ...CHAT, model: 'gpt-5.5-pro' }))),
  ],
  [
    'has the provider search',
    (post) =>
      times(5, () =>
        read(
          post('/v1/responses', {
            ...RESPONSES,
            tools: [{ type: 'web_search' }, { type: 'function', name: 'f' }],
          }),
        ),
      ),
  ],
  [
    'has a provider that writes on and on, whatever the limit',
    (post) => times(3, () => read(post('/v1/messages', { ...MESSAGES, max_tokens: 2000 }))),
    { answers: 'endless' },
  ],
  [
    'has a provider that answers nothing, and charges',
    (post) => times(5, () => read(post('/v1/messages', MESSAGES))),
    { answers: 'empty' },
  ],
  [
    'has a provider that breaks off, and charges',
    (post) => times(5, () => read(post('/v1/messages', { ...MESSAGES, max_tokens: 4000 }))),
    { answers: 'reset' },
  ],
  [
    'asks for what no route knows',
    async (post) => {
      for (const path of [
        '/v1/batches',
        '/v1/files',
        '/v1/images/generations',
        '/v1/messages/batches',
        '/v1/audio/speech',
        '/v1/fine_tuning/jobs',
        '/v1/embeddings',
        '/v1beta/models/gemini-2.5-pro:batchGenerateContent',
        '/v1/videos',
      ])
        await read(post(path, { ...CHAT, ...MESSAGES }));
    },
  ],
];

describe('H4: a budget of one dollar holds against an agent that', () => {
  for (const [does, agent, options] of AGENTS)
    test(does, async () => {
      await using provider = await startBillingProvider(options);
      const purse = new Purse('run', { ...NO_CAPS, usd: CAP_USD }, at(0));
      const rig = await rigOn(provider.url, {
        purses: [purse],
        clock: systemClock,
        outage: { patienceMs: 500, replaceable: false },
      });
      const post: Post = (path, body, { signal, headers = {} } = {}) =>
        fetch((rig.gateway.url ?? '') + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': TOKEN, ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
          ...(signal !== undefined && { signal }),
        }).catch(() => undefined);
      await agent(post, provider.calls);
      await rig.gateway.close();
      const billed = provider.billed();
      assert.ok(billed <= CAP_USD, `$${billed.toFixed(2)} billed in ${provider.calls()} calls`);
      const { spent } = purse.ledger;
      // What an endless answer has written when it is cut is not all here.
      const unseenUsd = options?.answers === 'endless' ? 0.2 : 1e-9;
      assert.ok(spent.usd >= billed - unseenUsd, `$${spent.usd} counted of $${billed}`);
      assert.equal(spent.calls >= provider.calls(), true, 'each call that left counts');
    });
});
