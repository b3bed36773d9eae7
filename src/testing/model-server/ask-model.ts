import type { WireName } from './model-wire.ts';

/** One plain request as a client of this wire would send it: for tests, and to try a server. */
export type ModelQuestion = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

const KEY = 'sk-test-0123456789';

/** Sends `prompt` with one tool on offer, so that it counts as work and not as a side call. */
export function questionOn(
  wire: WireName,
  prompt: string,
  { stream = false }: { readonly stream?: boolean } = {},
): ModelQuestion {
  const json = { 'content-type': 'application/json' };
  const bearer = { ...json, authorization: `Bearer ${KEY}` };
  const parameters = { type: 'object', properties: {} };
  switch (wire) {
    case 'anthropic':
      return {
        path: '/v1/messages',
        headers: { ...json, 'x-api-key': KEY, 'anthropic-version': '2023-06-01' },
        body: {
          model: 'claude-opus-4-8',
          max_tokens: 1000,
          stream,
          messages: [{ role: 'user', content: prompt }],
          tools: [{ name: 'Bash', input_schema: parameters }],
        },
      };
    case 'openai-responses':
      return {
        path: '/v1/responses',
        headers: bearer,
        body: {
          model: 'gpt-5.5',
          stream,
          input: [{ role: 'user', content: prompt }],
          tools: [{ type: 'function', name: 'Bash', parameters }],
        },
      };
    case 'openai-chat':
      return {
        path: '/v1/chat/completions',
        headers: bearer,
        body: {
          model: 'gpt-5.5',
          stream,
          ...(stream && { stream_options: { include_usage: true } }),
          messages: [{ role: 'user', content: prompt }],
          tools: [{ type: 'function', function: { name: 'Bash', parameters } }],
        },
      };
    case 'gemini':
      return {
        path: `/v1beta/models/gemini-2.5-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        headers: { ...json, 'x-goog-api-key': KEY },
        body: {
          contents: [{ role: 'user', parts: [{ text: prompt }] }],
          tools: [{ functionDeclarations: [{ name: 'Bash' }] }],
        },
      };
  }
}
