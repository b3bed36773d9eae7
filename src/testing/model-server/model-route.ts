import { anthropic, anthropicCountRules } from './anthropic/anthropic-model.ts';
import { geminiCountRules } from './gemini/gemini-rules.ts';
import { gemini } from './gemini/gemini-model.ts';
import { openaiChat } from './openai-chat/openai-chat-model.ts';
import { openaiResponses } from './openai-responses/openai-responses-model.ts';
import type { Json } from '../../base/json.ts';
import type { WireRule, Wire } from './model-wire.ts';

type Headers = Readonly<Record<string, string>>;

/** The meaning of a method and a path. */
export type ModelRoute = {
  readonly wire: Wire;
  readonly operation: 'generate' | 'count' | 'models' | 'probe' | 'nothing-here';
  readonly rules: Readonly<Record<string, WireRule>>;
};

/** The wire whose error format to use if the path alone does not show it. */
function wireBySpeaker(path: string, headers: Headers): Wire {
  if (headers['anthropic-version'] !== undefined || path.startsWith('/v1/messages'))
    return anthropic;
  if (headers['x-goog-api-key'] !== undefined || path.startsWith('/v1beta')) return gemini;
  return path.startsWith('/v1/responses') ? openaiResponses : openaiChat;
}

export function findModelRoute(method: string, url: string, headers: Headers): ModelRoute {
  const path = url.replace(/\?.*$/, '');
  const to = (
    wire: Wire,
    operation: ModelRoute['operation'],
    rules: ModelRoute['rules'] = {},
  ): ModelRoute => ({
    wire,
    operation,
    rules,
  });
  const bySpeaker = wireBySpeaker(path, headers);
  if (path === '/' && (method === 'HEAD' || method === 'GET')) return to(bySpeaker, 'probe');
  if (method === 'GET' && /^\/v1(beta)?\/models(\/[^/:]+)?$/.test(path))
    return to(bySpeaker, 'models');
  if (method !== 'POST') return to(bySpeaker, 'nothing-here');
  if (path === '/v1/messages') return to(anthropic, 'generate', anthropic.rules);
  if (path === '/v1/messages/count_tokens') return to(anthropic, 'count', anthropicCountRules);
  if (path === '/v1/responses') return to(openaiResponses, 'generate', openaiResponses.rules);
  if (path === '/v1/chat/completions') return to(openaiChat, 'generate', openaiChat.rules);
  if (/^\/v1(beta)?\/models\/[^/:]+:(generate|streamGenerate)Content$/.test(path))
    return to(gemini, 'generate', gemini.rules);
  if (/^\/v1(beta)?\/models\/[^/:]+:countTokens$/.test(path))
    return to(gemini, 'count', geminiCountRules);
  return to(bySpeaker, 'nothing-here');
}

/** The list of models, or one of them, in the wire's own form. */
export function modelsBody(wire: Wire, url: string, models: readonly string[]): Json | undefined {
  const one = /\/models\/([^/?]+)/.exec(url)?.[1];
  const entries = models.map((id) => {
    switch (wire.name) {
      case 'anthropic':
        return { type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' };
      case 'gemini':
        return {
          name: `models/${id}`,
          displayName: id,
          inputTokenLimit: 1048576,
          outputTokenLimit: 65536,
          supportedGenerationMethods: ['generateContent', 'countTokens'],
        };
      case 'openai-chat':
      case 'openai-responses':
        return { id, object: 'model', created: 1767225600, owned_by: 'system' };
    }
  });
  if (one !== undefined) return entries[models.indexOf(one)];
  if (wire.name === 'gemini') return { models: entries };
  if (wire.name === 'anthropic')
    return {
      data: entries,
      has_more: false,
      first_id: models[0] ?? null,
      last_id: models.at(-1) ?? null,
    };
  return { object: 'list', data: entries };
}
