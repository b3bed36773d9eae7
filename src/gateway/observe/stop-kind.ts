/**
 * Why a model ended its answer, in one word for every provider. Only a word that is known to be a normal
 * end counts as one: an answer without a word was cut, and a word that nobody knows is no proof of an end.
 */
import type { ModelAnswer } from '../wires/wire.ts';

export type StopKind =
  /** The model ended by itself. */
  | 'end'
  /** It asked for a tool. */
  | 'tools'
  /** It reached the most that it may write, or the end of its context. */
  | 'length'
  /** The provider withheld the answer, or the model refused to give one. */
  | 'filter'
  /** No reason came, or none that means an end. */
  | 'unfinished';

const END = /^(?:stop|end_turn|stop_sequence|completed?|eos|eos_token|end)$/i;
const TOOLS = /^(?:tool_use|tool_calls?|function_call)$/i;
const LENGTH =
  /^(?:length|max_tokens|max_output_tokens|max_completion_tokens|model_length|token_limit|model_context_window_exceeded)$/i;
const FILTER =
  /^(?:content_filter(?:ed)?|refusal|sensitive|guardrail\w*|(?:image_)?(?:safety|recitation|prohibited_content)|blocklist|spii|language)$/i;

export function classifyStop({ stop, calls }: Pick<ModelAnswer, 'stop' | 'calls'>): StopKind {
  if (stop === null) return 'unfinished';
  if (LENGTH.test(stop)) return 'length';
  if (FILTER.test(stop)) return 'filter';
  if (END.test(stop)) return calls.length > 0 ? 'tools' : 'end';
  // A provider that says "tools" and names none leaves the agent with nothing to do.
  return TOOLS.test(stop) && calls.length > 0 ? 'tools' : 'unfinished';
}

export function isNormalStop(stop: StopKind): boolean {
  return stop === 'end' || stop === 'tools';
}
