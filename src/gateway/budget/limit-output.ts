/** Reads and lowers the output limit of a request, in each wire's own field. */
import { isRecord } from '../../base/json.ts';
import { countField, recordField } from '../wires/json-shape.ts';
import type { WireName } from '../wires/wire.ts';

type Body = Readonly<Record<string, unknown>>;

const FIELDS: Readonly<Record<WireName, readonly string[]>> = {
  anthropic: ['max_tokens'],
  'openai-responses': ['max_output_tokens'],
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  gemini: ['maxOutputTokens'],
};

/** Anthropic's minimum for a thinking budget. It must also leave room for an answer. */
const THINKING_MIN = 1024;

/** The largest limit that the request names. Undefined: it names no readable limit. */
export function namedOutputMax(wire: WireName, body: Body): number | undefined {
  const limits = wire === 'gemini' ? recordField(body['generationConfig']) : body;
  const named = FIELDS[wire]
    .map((field) => countField(limits[field]))
    .filter((tokens) => tokens > 0);
  return named.length === 0 || hasOddLimit(wire, body) ? undefined : Math.max(...named);
}

/**
 * Whether a limit has an unusual form: a text, a fraction, or -1 for no limit. Providers interpret such forms
 * differently.
 */
export function hasOddLimit(wire: WireName, body: Body): boolean {
  const limits = wire === 'gemini' ? recordField(body['generationConfig']) : body;
  return FIELDS[wire].some((field) => !isCount(limits[field]));
}

function isCount(value: unknown): boolean {
  // A server that expects a whole number may truncate a fraction to zero, and zero may mean no limit.
  return (
    value === undefined || value === null || (countField(value) > 0 && Number.isInteger(value))
  );
}

/** The smallest useful output if the model has to think first. */
export function thinkingMin(wire: WireName, body: Body): number {
  return wire === 'anthropic' && recordField(body['thinking'])['type'] === 'enabled'
    ? 2 * THINKING_MIN
    : 0;
}

export function withOutputMax(wire: WireName, body: Body, tokens: number): Body {
  if (wire === 'gemini') {
    const config = recordField(body['generationConfig']);
    return { ...body, generationConfig: { ...config, maxOutputTokens: tokens } };
  }
  const fields = FIELDS[wire].filter((field) => body[field] !== undefined);
  const [defaultField = ''] = FIELDS[wire];
  const lowered = Object.fromEntries(
    (fields.length === 0 ? [defaultField] : fields).map((field) => [
      field,
      isCount(body[field]) ? Math.min(countField(body[field]) || tokens, tokens) : tokens,
    ]),
  );
  return { ...body, ...lowered, ...(wire === 'anthropic' && lowerThinking(body, tokens)) };
}

/** Thinking counts as output, so its budget has to be smaller than the output limit. */
function lowerThinking({ thinking }: Body, tokens: number): Body {
  if (!isRecord(thinking) || thinking['type'] !== 'enabled') return {};
  const budget = Math.max(THINKING_MIN, tokens - THINKING_MIN);
  return {
    thinking: {
      ...thinking,
      budget_tokens: Math.min(countField(thinking['budget_tokens']), budget),
    },
  };
}

/** Lowers the thinking budget to the output limit, because some providers count thinking on top of the output. */
export function limitThinking(wire: WireName, body: Body, tokens: number): Body {
  if (wire === 'anthropic') {
    const requested = countField(recordField(body['thinking'])['budget_tokens']);
    return requested > tokens ? { ...body, ...lowerThinking(body, tokens) } : body;
  }
  if (wire !== 'gemini') return body;
  const config = recordField(body['generationConfig']);
  const thinking = recordField(config['thinkingConfig']);
  if (countField(thinking['thinkingBudget']) <= tokens) return body;
  const thinkingConfig = { ...thinking, thinkingBudget: Math.floor(tokens) };
  return { ...body, generationConfig: { ...config, thinkingConfig } };
}

/** A chat stream reports its usage only on request. */
export function withUsage(wire: WireName, body: Body): Body {
  if (wire !== 'openai-chat' || body['stream'] !== true) return body;
  const options = recordField(body['stream_options']);
  if (options['include_usage'] === true) return body;
  return { ...body, stream_options: { ...options, include_usage: true } };
}
