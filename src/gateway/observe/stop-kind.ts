/**
 * Classifies why a model ended its answer, in one vocabulary for every provider. Only a known word counts as a normal
 * end. An answer without a stop reason was cut, and an unknown reason proves nothing.
 */
import type { ModelAnswer } from '../wires/wire.ts';

export type StopKind =
  /** The model ended by itself. */
  | 'end'
  /** The model asked for a tool. */
  | 'tools'
  /** The answer reached its length limit, or the context is full. */
  | 'length'
  /** The provider withheld the answer, or the model refused to give one. */
  | 'filter'
  /** There was no stop reason, or none that means a normal end. */
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
  // If a provider reports "tools" and names no call, the agent has nothing to do.
  return TOOLS.test(stop) && calls.length > 0 ? 'tools' : 'unfinished';
}

export function isNormalStop(stop: StopKind): boolean {
  return stop === 'end' || stop === 'tools';
}
