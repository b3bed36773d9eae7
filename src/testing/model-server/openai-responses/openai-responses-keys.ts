/**
 * The names that the Responses API knows. Items that only the server itself makes are not checked.
 */

export const TOP_KEYS: ReadonlySet<string> = new Set([
  'background',
  'context_management',
  'conversation',
  'include',
  'input',
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'model',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning',
  'safety_identifier',
  'service_tier',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
  // Not in the public reference; Codex sends it and the API accepts it.
  'client_metadata',
]);

/** `undefined`: a known item whose keys are not checked here. */
export const ITEM_KEYS: ReadonlyMap<string, ReadonlySet<string> | undefined> = new Map([
  ['message', new Set(['type', 'id', 'role', 'content', 'status', 'phase'])],
  ['function_call', new Set(['type', 'id', 'call_id', 'name', 'arguments', 'status', 'namespace'])],
  ['function_call_output', new Set(['type', 'id', 'call_id', 'output', 'status'])],
  ['custom_tool_call', new Set(['type', 'id', 'call_id', 'name', 'input', 'status', 'namespace'])],
  ['custom_tool_call_output', new Set(['type', 'id', 'call_id', 'output', 'status', 'name'])],
  ['reasoning', new Set(['type', 'id', 'summary', 'content', 'encrypted_content', 'status'])],
  ['item_reference', new Set(['type', 'id'])],
  ['additional_tools', undefined],
  ['local_shell_call', undefined],
  ['local_shell_call_output', undefined],
  ['shell_call', undefined],
  ['shell_call_output', undefined],
  ['apply_patch_call', undefined],
  ['apply_patch_call_output', undefined],
  ['computer_call', undefined],
  ['computer_call_output', undefined],
  ['web_search_call', undefined],
  ['file_search_call', undefined],
  ['code_interpreter_call', undefined],
  ['image_generation_call', undefined],
  ['tool_search_call', undefined],
  ['tool_search_output', undefined],
  ['mcp_list_tools', undefined],
  ['mcp_call', undefined],
  ['mcp_approval_request', undefined],
  ['mcp_approval_response', undefined],
  ['compaction', undefined],
  ['compaction_trigger', undefined],
]);

export const PART_KEYS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['input_text', new Set(['type', 'text'])],
  ['input_image', new Set(['type', 'image_url', 'file_id', 'detail'])],
  ['input_file', new Set(['type', 'file_id', 'file_url', 'file_data', 'filename', 'detail'])],
  ['output_text', new Set(['type', 'text', 'annotations', 'logprobs'])],
  ['refusal', new Set(['type', 'refusal'])],
]);

export const ROLES = ['assistant', 'system', 'developer', 'user'] as const;
