/** Agents that try to spend more than a dollar by how, how often and how long they call a model. */
import {
  leaveEarly,
  peek,
  read,
  testHostile,
  times,
} from '../../../test/support/hostile-agents.ts';
import type { HostileRow } from '../../../test/support/hostile-agents.ts';

const OPUS = { model: 'claude-opus-4-8', max_tokens: 128_000 };
const PROMPT = [{ role: 'user', content: 'hello' }];
const MESSAGES = { ...OPUS, stream: true, messages: PROMPT };
const CHAT = { model: 'gpt-5.5', messages: PROMPT };
const RESPONSES = { model: 'gpt-5.5', input: PROMPT };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
const PRO = '/v1beta/models/gemini-2.5-pro:generateContent';

const pdf = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' },
};
const dense = '你好'.repeat(30_000);
const cached = { type: 'text', text: dense, cache_control: { type: 'ephemeral', ttl: '1h' } };

const AGENTS: readonly HostileRow[] = [
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
    'writes long prompts into a one-hour cache',
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
    'names a limit that means no limit',
    (post) => times(5, () => read(post('/v1/messages', { ...MESSAGES, max_tokens: -1 }))),
  ],
  [
    'names a limit of zero',
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
    'writes field names in the other letter case',
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
    'writes one field in both letter cases',
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
    'continues from an answer that the provider stored',
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
    'reads content that is cached at the provider',
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
    'uses a name that the provider moves to its newest model',
    (post) =>
      times(5, () => read(post('/v1/messages', { ...MESSAGES, model: 'claude-opus-4-8-latest' }))),
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
    'has a provider that sends an empty answer, and charges',
    (post) => times(5, () => read(post('/v1/messages', MESSAGES))),
    { answers: 'empty' },
  ],
  [
    'has a provider that breaks off, and charges',
    (post) => times(5, () => read(post('/v1/messages', { ...MESSAGES, max_tokens: 4000 }))),
    { answers: 'reset' },
  ],
  [
    'asks for paths that no route matches',
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

testHostile('H4: a budget of one dollar holds against an agent that', AGENTS);
