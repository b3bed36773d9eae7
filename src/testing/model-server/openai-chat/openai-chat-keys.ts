/** The names that the Chat Completions API knows. */

export const TOP_KEYS: ReadonlySet<string> = new Set([
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'modalities',
  'model',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]);

const SPOKEN = new Set(['role', 'content', 'name']);

export const MESSAGE_KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['system', SPOKEN],
  ['developer', SPOKEN],
  ['user', SPOKEN],
  [
    'assistant',
    new Set([
      'role',
      'content',
      'name',
      'refusal',
      'audio',
      'annotations',
      'tool_calls',
      'function_call',
    ]),
  ],
  // `name` was part of the first examples of this API and is still accepted.
  ['tool', new Set(['role', 'content', 'tool_call_id', 'name'])],
  ['function', new Set(['role', 'content', 'name'])],
]);

export const TOOL_CALL_KEYS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'function',
  'custom',
  // Streamed deltas number their calls, and clients send the number back; the API accepts it.
  'index',
]);

export const PART_KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['text', new Set(['type', 'text'])],
  ['image_url', new Set(['type', 'image_url'])],
  ['input_audio', new Set(['type', 'input_audio'])],
  ['file', new Set(['type', 'file'])],
  ['refusal', new Set(['type', 'refusal'])],
]);
