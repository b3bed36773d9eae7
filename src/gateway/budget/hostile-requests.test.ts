/** Agents that try to spend more than a dollar by the content of their requests. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { TOKEN } from '../../../test/support/gateway-harness.ts';
import { read, testHostile, times } from '../../../test/support/hostile-agents.ts';
import type { HostileRow, Post } from '../../../test/support/hostile-agents.ts';

const PROMPT = [{ role: 'user', content: 'hello' }];
const MESSAGES = { model: 'claude-opus-4-8', max_tokens: 128_000, stream: true, messages: PROMPT };
const CHAT = { model: 'gpt-5.5', messages: PROMPT };
const RESPONSES = { model: 'gpt-5.5', input: PROMPT };
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
const PRO = '/v1beta/models/gemini-2.5-pro:generateContent';
const LONG = 'hello world '.repeat(25_000);
/** A blank image of the largest allowed size: a few bytes. */
const IMAGE = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo='.repeat(8) };
const TOOL = { name: 'f', input_schema: { type: 'object' } };

const userMessage = (content: unknown) => ({ ...MESSAGES, messages: [{ role: 'user', content }] });
const calls = (input: unknown) => ({
  ...MESSAGES,
  messages: [...PROMPT, { role: 'assistant', content: [{ type: 'tool_use', name: 'f', input }] }],
});
const asks =
  (path: string, ...bodies: readonly object[]) =>
  (post: Post): Promise<unknown> =>
    times(6, (nth) => read(post(path, bodies[Math.min(nth, bodies.length - 1)] ?? {})));

/** Attacks that a review found. */
const REVIEWED: readonly HostileRow[] = [
  [
    'sends text that looks like an image',
    asks('/v1/messages', userMessage(`data:image/png;base64,${LONG}`)),
  ],
  [
    'sends text as an image in the arguments of a tool',
    asks('/v1/messages', calls({ type: 'image', source: { ...IMAGE, data: LONG } })),
  ],
  [
    'sends text as the output of a function that looks like an image',
    asks('/v1/responses', {
      ...RESPONSES,
      input: [{ type: 'function_call_output', output: `data:image/png;base64,${LONG}` }],
    }),
  ],
  [
    'hides text in a cache mark, after the same request without it',
    asks(
      '/v1/messages',
      { ...userMessage([{ type: 'text', text: 'go' }]), max_tokens: 16 },
      userMessage([{ type: 'text', text: 'go', cache_control: { type: 'ephemeral', note: LONG } }]),
    ),
  ],
  [
    'hides text in a cache mark inside the schema of a tool, after the same request without it',
    asks(
      '/v1/messages',
      { ...MESSAGES, max_tokens: 16, tools: [{ ...TOOL, input_schema: {} }] },
      { ...MESSAGES, tools: [{ ...TOOL, input_schema: { cache_control: { note: LONG } } }] },
    ),
  ],
  [
    'has the provider compact what it reads',
    asks('/v1/messages', {
      ...MESSAGES,
      context_management: { edits: [{ type: 'compact_20260112' }] },
    }),
  ],
  [
    'has the provider compact what it reads, with a lone edit',
    asks('/v1/messages', {
      ...MESSAGES,
      context_management: { edits: { type: 'compact_20260112' } },
    }),
  ],
  [
    'has the other provider compact what it reads',
    asks('/v1/responses', {
      ...RESPONSES,
      context_management: [{ type: 'compaction', compact_threshold: 1000 }],
    }),
  ],
  [
    'names one tool of the provider in place of a list',
    async (post) => {
      const tools = { type: 'web_search_20250305', name: 'web_search' };
      await read(post('/v1/messages', { ...MESSAGES, tools }));
      await read(post('/v1/responses', { ...RESPONSES, tools: { type: 'web_search' } }));
      await read(post(PRO, { ...GEMINI, tools: { google_search: {} } }));
    },
  ],
];

const deferred = { ...TOOL, name: 'big', description: LONG, defer_loading: true };
const references = Array.from({ length: 50 }, () => ({ type: 'tool_reference', tool_name: 'big' }));
const cited = {
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'A. '.repeat(20_000) },
  citations: { enabled: true },
};
const PATHS = [
  '//v1/messages',
  '/v1//messages',
  '/V1/messages',
  '/v1/Messages',
  '/v1/messages/',
  '/v1/%6dessages',
  '/v1/messages%2f',
  '/v1/./messages',
  '/v1/x/../messages',
  '/v1/messages;a=b',
  '/v1/messages?key=a&$httpMethod=POST&service_tier=priority',
  '/v1/messages#x',
  '/v1/messages/batches?beta=true',
  '/v1beta/cachedContents',
  '/v1beta/models/gemini-2.5-pro:embedContent',
  '/v1/realtime?model=gpt-5.5',
  '/v1/completions',
];

/** Attacks that neither the first list nor the review named. */
const OTHERS: readonly HostileRow[] = [
  [
    'puts images where no message has them: into the blocks of a document',
    asks(
      '/v1/messages',
      userMessage([
        {
          type: 'document',
          source: {
            type: 'content',
            content: Array.from({ length: 30 }, () => ({ type: 'image', source: IMAGE })),
          },
        },
      ]),
    ),
  ],
  [
    'shows images to a model that counts them dearly',
    asks('/v1/chat/completions', {
      ...{ model: 'gpt-4o-mini', max_completion_tokens: 16_384 },
      messages: Array.from({ length: 200 }, () => ({
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      })),
    }),
    { gateway: { prices: [{ model: 'gpt-4o-mini', input: 0.15, output: 0.6 }] } },
  ],
  [
    'sends sound to a model that charges more for sound than for text',
    asks(PRO.replace('-pro', '-flash'), {
      contents: [{ parts: [{ inlineData: { mimeType: 'audio/ogg', data: 'T2dnUw==' } }] }],
    }),
  ],
  [
    'writes characters that a tokenizer takes apart',
    asks('/v1/messages', userMessage('ﷺ'.repeat(8000))),
  ],
  [
    'names stored content by an id alone',
    asks('/v1/responses', { ...RESPONSES, input: [...PROMPT, { id: 'rs_1' }] }),
  ],
  [
    'names stored content by an id and no type',
    asks('/v1/responses', { ...RESPONSES, input: [{ id: 'msg_1', type: null }, ...PROMPT] }),
  ],
  [
    'names stored thoughts, without their text',
    asks('/v1/responses', {
      ...{ ...RESPONSES, store: true },
      input: [...PROMPT, { type: 'reasoning', id: 'rs_1', summary: [] }],
    }),
  ],
  [
    'names an image that was generated before',
    asks('/v1/responses', {
      ...RESPONSES,
      input: [...PROMPT, { type: 'image_generation_call', id: 'ig_1' }],
    }),
  ],
  [
    'names a limit that is less than one token',
    asks('/v1/messages', { ...MESSAGES, max_tokens: 0.5 }),
  ],
  [
    'has a thinking budget above its output limit',
    asks('/v1/messages', {
      ...{ ...MESSAGES, max_tokens: 2000 },
      thinking: { type: 'enabled', budget_tokens: 120_000 },
    }),
  ],
  [
    'has a thinking budget above its output limit, on another wire',
    (post) =>
      times(12, () =>
        read(
          post(PRO, {
            ...GEMINI,
            generation_config: {
              max_output_tokens: 100,
              thinking_config: { thinking_budget: 32_768 },
            },
          }),
        ),
      ),
  ],
  [
    'refers to one long tool again and again',
    asks('/v1/messages', {
      ...MESSAGES,
      tools: [TOOL, { ...deferred, description: LONG.slice(0, 20_000) }],
      messages: [
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: references }] },
      ],
    }),
  ],
  [
    'has the provider search its tools',
    asks('/v1/messages', {
      ...MESSAGES,
      tools: [
        { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
        { ...deferred, description: LONG.slice(0, 60_000) },
      ],
    }),
  ],
  [
    'has the other provider search its tools',
    asks('/v1/responses', {
      ...RESPONSES,
      tools: [
        { type: 'tool_search' },
        { type: 'function', name: 'g', description: LONG.slice(0, 60_000), defer_loading: true },
      ],
    }),
  ],
  [
    'offers tools that the provider describes itself',
    asks('/v1/messages', {
      ...MESSAGES,
      tools: [
        { type: 'computer_20250124', name: 'computer' },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        { type: 'bash_20250124', name: 'bash' },
        { type: 'memory_20250818', name: 'memory' },
      ],
    }),
  ],
  ['has a text cut into pieces for citations', asks('/v1/messages', userMessage([cited]))],
  [
    'has a provider behind a server that gives up waiting, and charges',
    asks('/v1/messages', { ...MESSAGES, stream: false, max_tokens: 20_000 }),
    { answers: 'gateway-timeout' },
  ],
  [
    'asks for many answers by other field names',
    async (post) => {
      for (const name of ['num_completions', 'num_return_sequences', 'candidate_count'])
        await read(post('/v1/chat/completions', { ...CHAT, [name]: 20 }));
    },
  ],
  [
    'writes field names with escapes',
    (post) =>
      times(6, () =>
        read(
          post(
            '/v1/messages',
            '{"m\\u0061x_tokens":128000,"max_tokens":16,"sp\\u0065ed":"fast","model":"claude-opus-4-8","messages":[{"role":"user","content":[{"type":"text","text":"x","cache\\u005fcontrol":{"type":"ephemeral","ttl":"1\\u0068"}}]}]}',
          ),
        ),
      ),
  ],
  [
    'writes paths in unusual forms',
    async (post) => {
      for (const path of PATHS) await read(post(path, { ...CHAT, ...MESSAGES }));
    },
  ],
  [
    'sends twenty requests on one connection at once, some of them cut short',
    async (_post, _calls, base) => {
      const { hostname, port } = new URL(base);
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      const body = JSON.stringify(MESSAGES);
      const head = `POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${TOKEN}\r\nX-Service-Tier: priority\r\n`;
      const whole = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      const chunked = `${head}Transfer-Encoding: chunked\r\nTrailer: x\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\nservice_tier: priority\r\n\r\n`;
      const both = `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${whole}`;
      socket.resume().end(whole.repeat(10) + chunked.repeat(9) + both);
      await once(socket, 'close');
    },
  ],
];

testHostile('H4, by a review: a budget of one dollar holds against an agent that', REVIEWED);
testHostile('H4, by what a request holds: one dollar holds against an agent that', OTHERS);
