/**
 * The names that the Messages API knows. Blocks that only the server itself makes are not checked.
 */

export const TOP_KEYS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'metadata',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
  'tools',
  'tool_choice',
  'thinking',
  'service_tier',
  'container',
  'context_management',
  'mcp_servers',
  'output_config',
  'output_format',
  'inference_geo',
  'speed',
  'cache_control',
]);

export const COUNT_KEYS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'context_management',
  'mcp_servers',
  'output_config',
  'output_format',
  'speed',
  'cache_control',
]);

export const MESSAGE_KEYS: ReadonlySet<string> = new Set(['role', 'content']);

/** `undefined`: a known block whose keys are not checked here. */
export const BLOCK_KEYS: ReadonlyMap<string, ReadonlySet<string> | undefined> = new Map([
  ['text', new Set(['type', 'text', 'cache_control', 'citations'])],
  ['image', new Set(['type', 'source', 'cache_control'])],
  ['document', new Set(['type', 'source', 'title', 'context', 'citations', 'cache_control'])],
  ['tool_use', new Set(['type', 'id', 'name', 'input', 'cache_control', 'caller'])],
  ['tool_result', new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control'])],
  ['thinking', new Set(['type', 'thinking', 'signature'])],
  ['redacted_thinking', new Set(['type', 'data'])],
  ['search_result', undefined],
  ['server_tool_use', undefined],
  ['web_search_tool_result', undefined],
  ['web_fetch_tool_result', undefined],
  ['code_execution_tool_result', undefined],
  ['bash_code_execution_tool_result', undefined],
  ['text_editor_code_execution_tool_result', undefined],
  ['tool_search_tool_result', undefined],
  ['tool_reference', undefined],
  ['tool_addition', undefined],
  ['tool_removal', undefined],
  ['mcp_tool_use', undefined],
  ['mcp_tool_result', undefined],
  ['container_upload', undefined],
  ['compaction', undefined],
]);

/** Keys of a tool that the caller runs itself; a tool with a dated `type` is the provider's own. */
export const TOOL_KEYS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
  'allowed_callers',
]);
