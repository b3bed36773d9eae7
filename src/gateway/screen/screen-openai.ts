/** Screens the requests of both OpenAI wires. */
import { isRecord } from '../../base/json.ts';
import { recordField, recordList, textField } from '../wires/json-shape.ts';
import { refuseRemote } from './remote-content.ts';
import { isAbsent, isAllowed, isOneAnswer, notBounded, onlyServerTools } from './screen.ts';
import {
  screenRefusal,
  refuseMalformedTools,
  unknownFields,
  walkRequest,
  withoutFields,
} from './screen.ts';
import { withoutToolSearch } from './screen.ts';
import type { RequestBody, NamedTool, ScreenResult, ScreenTerms, ServerTool } from './screen.ts';

/** Tools that the caller runs. A search over the list of tools fetches nothing. */
const CLIENT_TOOLS: ReadonlySet<string> = new Set([
  'function',
  'custom',
  'local_shell',
  'apply_patch',
  'computer',
  'computer_use',
  'computer_use_preview',
  'tool_search',
]);
const SERVER_TOOLS: readonly (readonly [RegExp, ServerTool])[] = [
  [/^web_search/, 'web_search'],
  [/^file_search/, 'file_search'],
  [/^(?:code_interpreter|shell)/, 'code_execution'],
  [/^image_generation/, 'image_generation'],
  [/^(?:mcp|connector)/, 'mcp'],
];

const RESPONSES_KNOWN: ReadonlySet<string> = new Set([
  'background',
  'client_metadata',
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
  'prompt_cache_key',
  'prompt_cache_options',
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
]);

const CHAT_KNOWN: ReadonlySet<string> = new Set([
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'messages',
  'metadata',
  'model',
  'parallel_tool_calls',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
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
]);

export function screenResponses(written: RequestBody, terms: ScreenTerms): ScreenResult {
  const { capped } = terms;
  const body = isRecord(written['input']) ? { ...written, input: [written['input']] } : written;
  if (!isAbsent(body['prompt']))
    return screenRefusal(
      'stored_prompt_refused',
      'Stored prompts are refused, because they may name tools that run at the provider.',
    );
  if (capped && !isAbsent(body['background']) && body['background'] !== false)
    return notBounded('background');
  for (const field of ['previous_response_id', 'conversation'])
    if (capped && !isAbsent(body[field])) return notBounded(field);
  if (capped && recordList(body['input']).some(isReference)) return notBounded('item_reference');
  const remote = refuseRemote(body['input'], terms);
  if (remote !== undefined) return remote;
  const searched = capped ? withoutToolSearch(body, isHostedSearch) : { body, removed: [] };
  const unknown = capped ? [...unknownFields(body, RESPONSES_KNOWN), ...searched.removed] : [];
  const screened = screenTools(withoutFields(searched.body, new Set(unknown)), terms);
  const input = body['input'];
  if (screened.kind === 'refused' || !Array.isArray(input)) return withRemoved(screened, unknown);
  const items = screenItems(input, terms);
  const usesServerTools = screened.usesServerTools || items.usesServerTools;
  const changed = { ...screened.body, input: items.input };
  const removed = [...unknown, ...items.removed];
  return withRemoved({ ...screened, body: changed, usesServerTools }, removed);
}

export function screenChat(body: RequestBody, terms: ScreenTerms): ScreenResult {
  const { capped } = terms;
  if (capped && !isOneAnswer(body['n'])) return notBounded('n');
  if (capped && !isOneAnswer(body['best_of'])) return notBounded('best_of');
  const modalities = isAbsent(body['modalities']) ? [] : [body['modalities']].flat();
  if (capped && modalities.some((one) => one !== 'text')) return notBounded('modalities');
  for (const field of ['audio', 'prediction'])
    if (capped && !isAbsent(body[field])) return notBounded(field);
  const remote = refuseRemote(body['messages'], terms);
  if (remote !== undefined) return remote;
  const searches = ['web_search_options', 'search_parameters', 'plugins'].filter(
    (name) => !isAbsent(body[name]) && !terms.allowed.has('web_search'),
  );
  const unknown = capped
    ? unknownFields(body, CHAT_KNOWN).filter((name) => !searches.includes(name))
    : [];
  const removed = [...searches, ...unknown];
  return withRemoved(screenTools(withoutFields(body, new Set(removed)), terms), removed);
}

/** Models that search the web by themselves, without a tool in the request. */
const SEARCHING = /-search-(?:preview|api)(?![a-z])|:online$/i;

function searchingModel(body: RequestBody): NamedTool | undefined {
  const { model, models } = body;
  const name = [model, models].flat().find((one) => SEARCHING.test(textField(one)));
  return name === undefined ? undefined : { name: textField(name), tool: 'web_search' };
}

function withRemoved(screened: ScreenResult, names: readonly string[]): ScreenResult {
  if (screened.kind === 'refused' || names.length === 0) return screened;
  return { ...screened, removed: [...screened.removed, ...names] };
}

/** Codex performs the search over its tools itself, and marks it with `execution`. */
function isHostedSearch({ type, execution }: RequestBody): boolean {
  return type === 'tool_search' && execution !== 'client';
}

/** An item without a type is a message if it has a role. Otherwise it is the id of a stored item. */
function isReference({ type, role }: RequestBody): boolean {
  return isAbsent(type) || type === '' ? isAbsent(role) : type === 'item_reference';
}

function screenTools(body: RequestBody, terms: ScreenTerms): ScreenResult {
  const malformed = refuseMalformedTools(body);
  if (malformed !== undefined) return malformed;
  const model = searchingModel(body);
  if (model !== undefined && !isAllowed(model, terms))
    return screenRefusal(
      'server_tool_refused',
      `The model ${model.name} searches the web at the provider, which is off. Use another model, or add web_search to gateway.server_tools in your own settings.`,
    );
  const tools = recordList(body['tools']);
  const found = tools.flatMap(serverTools);
  const disallowed = found.filter((tool) => !isAllowed(tool, terms));
  const remaining = allowedTools(tools, terms);
  if (disallowed.length > 0 && remaining.length === 0) return onlyServerTools(disallowed);
  return {
    kind: 'passed',
    body: disallowed.length === 0 ? body : withValidChoice({ ...body, tools: remaining }),
    removed: [...new Set(disallowed.map(({ name }) => name))],
    usesServerTools: model !== undefined || found.length > disallowed.length,
  };
}

/** Newer models get tools in items of the conversation, of several types. */
function screenItems(
  input: readonly unknown[],
  terms: ScreenTerms,
): {
  readonly input: readonly unknown[];
  readonly removed: readonly string[];
  readonly usesServerTools: boolean;
} {
  const removed = new Set<string>();
  let usesServerTools = false;
  const items = input.map((item) => {
    if (!isRecord(item) || isAbsent(item['tools'])) return item;
    // This item lists the tools of an MCP server; its entries have no type.
    if (item['type'] === 'mcp_list_tools' && terms.allowed.has('mcp')) return item;
    const tools = recordList(item['tools']);
    for (const tool of tools.flatMap(serverTools))
      if (isAllowed(tool, terms)) usesServerTools = true;
      else removed.add(tool.name);
    const remaining = allowedTools(tools, terms);
    return {
      ...item,
      tools: terms.capped ? remaining.filter((tool) => !isHostedSearch(tool)) : remaining,
    };
  });
  return { input: items, removed: [...removed], usesServerTools };
}

/** Removes the tools that are not allowed. A namespace is a group of tools. */
function allowedTools(tools: readonly RequestBody[], terms: ScreenTerms): readonly RequestBody[] {
  return tools.flatMap((tool) => {
    if (tool['type'] === 'namespace') {
      const inside = allowedTools(recordList(tool['tools']), terms);
      return inside.length === 0 ? [] : [{ ...tool, tools: inside }];
    }
    return serverTools(tool).every((named) => isAllowed(named, terms)) ? [tool] : [];
  });
}

function serverTools(tool: RequestBody): readonly NamedTool[] {
  const type = textField(tool['type']);
  if (type === 'namespace') return recordList(tool['tools']).flatMap(serverTools);
  if (CLIENT_TOOLS.has(type)) return [];
  if (type === 'shell' && recordField(tool['environment'])['type'] === 'local') return [];
  const known = SERVER_TOOLS.find(([pattern]) => pattern.test(type));
  return [{ name: type || 'unknown', tool: known?.[1] ?? null }];
}

/** Removes a choice of a tool that is no longer in the list, because the provider would refuse it. */
function withValidChoice(body: RequestBody): RequestBody {
  const types = new Set(['', 'allowed_tools']);
  for (const tool of recordList(body['tools'])) types.add(textField(tool['type']));
  const named = new Set<string>();
  walkRequest(body['tool_choice'], (choice) => {
    named.add(textField(choice['type']));
    return true;
  });
  const isAvailable = [...named].every((type) => types.has(type));
  return isAvailable ? body : withoutFields(body, new Set(['tool_choice']));
}
