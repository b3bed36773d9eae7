/** The most that a request lets its model write, read and lowered, in each wire's own field. */
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

/** Anthropic's least for thinking, which has to leave room for an answer. */
const THINKING_MIN = 1024;

/** The largest of those that the request names; undefined: it names none that can be read. */
export function namedOutputMax(wire: WireName, body: Body): number | undefined {
  const of = wire === 'gemini' ? recordField(body['generationConfig']) : body;
  const named = FIELDS[wire].map((field) => countField(of[field])).filter((tokens) => tokens > 0);
  return named.length === 0 || hasOddLimit(wire, body) ? undefined : Math.max(...named);
}

/** A limit in a form of its own (a text, a fraction, or -1 for none) means to each provider something else. */
export function hasOddLimit(wire: WireName, body: Body): boolean {
  const of = wire === 'gemini' ? recordField(body['generationConfig']) : body;
  return FIELDS[wire].some((field) => !isCount(of[field]));
}

function isCount(value: unknown): boolean {
  // A server that wants a whole number may make a zero of a fraction, and zero may mean no limit.
  return (
    value === undefined || value === null || (countField(value) > 0 && Number.isInteger(value))
  );
}

/** Whether less than this is of no use because the model has to think first. */
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
  const [usual = ''] = FIELDS[wire];
  const lowered = Object.fromEntries(
    (fields.length === 0 ? [usual] : fields).map((field) => [
      field,
      isCount(body[field]) ? Math.min(countField(body[field]) || tokens, tokens) : tokens,
    ]),
  );
  return { ...body, ...lowered, ...(wire === 'anthropic' && lessThought(body, tokens)) };
}

/** Thinking counts as output, and its own budget has to be smaller. */
function lessThought({ thinking }: Body, tokens: number): Body {
  if (!isRecord(thinking) || thinking['type'] !== 'enabled') return {};
  const budget = Math.max(THINKING_MIN, tokens - THINKING_MIN);
  return {
    thinking: {
      ...thinking,
      budget_tokens: Math.min(countField(thinking['budget_tokens']), budget),
    },
  };
}

/** What it may think at most is no more than what it may write: to some providers one comes on top of the other. */
export function withThoughtWithin(wire: WireName, body: Body, tokens: number): Body {
  if (wire === 'anthropic') {
    const asked = countField(recordField(body['thinking'])['budget_tokens']);
    return asked > tokens ? { ...body, ...lessThought(body, tokens) } : body;
  }
  if (wire !== 'gemini') return body;
  const config = recordField(body['generationConfig']);
  const thinking = recordField(config['thinkingConfig']);
  if (countField(thinking['thinkingBudget']) <= tokens) return body;
  const thinkingConfig = { ...thinking, thinkingBudget: Math.floor(tokens) };
  return { ...body, generationConfig: { ...config, thinkingConfig } };
}

/** A chat stream tells what it used only when it is asked to. */
export function withUsage(wire: WireName, body: Body): Body {
  if (wire !== 'openai-chat' || body['stream'] !== true) return body;
  const options = recordField(body['stream_options']);
  if (options['include_usage'] === true) return body;
  return { ...body, stream_options: { ...options, include_usage: true } };
}
