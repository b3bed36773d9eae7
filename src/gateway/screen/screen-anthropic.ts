import { isRecord } from '../../base/json.ts';
import { recordField, recordList, textField } from '../wires/json-shape.ts';
import { refuseRemote } from './remote-content.ts';
import { isAbsent, isAllowed, onlyServerTools } from './screen.ts';
import { refuseMalformedTools, unknownFields, withoutFields, withoutToolSearch } from './screen.ts';
import type { RequestBody, NamedTool, ScreenResult, ScreenTerms, ServerTool } from './screen.ts';

/**
 * Tools that the caller runs, although the provider wrote their description. The last one only reads the list of
 * tools.
 */
const CLIENT_TOOLS = /^(?:custom|(?:bash|text_editor|computer|memory|tool_search_tool\w*)_\d{8})$/;
const SERVER_TOOLS: readonly (readonly [RegExp, ServerTool])[] = [
  [/^web_search/, 'web_search'],
  [/^web_fetch/, 'web_fetch'],
  [/^code_execution/, 'code_execution'],
  [/^mcp/, 'mcp'],
];

const KNOWN: ReadonlySet<string> = new Set([
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

export function screenAnthropic(body: RequestBody, terms: ScreenTerms): ScreenResult {
  const remote = refuseRemote([body['system'], body['messages']], terms);
  if (remote !== undefined) return remote;
  const malformed = refuseMalformedTools(body);
  if (malformed !== undefined) return malformed;
  const tools = recordList(body['tools']);
  const serverTools = tools.flatMap((tool) => serverTool(tool) ?? []);
  const disallowed = serverTools.filter((tool) => !isAllowed(tool, terms));
  if (disallowed.length > 0 && disallowed.length === tools.length)
    return onlyServerTools(disallowed);
  const fields = [
    ...(isAbsent(body['mcp_servers']) || terms.allowed.has('mcp') ? [] : ['mcp_servers']),
    ...(isAbsent(body['container']) || terms.allowed.has('code_execution') ? [] : ['container']),
    ...(terms.capped ? unknownFields(body, KNOWN) : []),
  ];
  const names = new Set(disallowed.map(({ name }) => name));
  const edits = terms.capped ? boundedEdits(body) : { body, removed: [] };
  const searched = terms.capped
    ? withoutToolSearch(edits.body, ({ type }) => textField(type).startsWith('tool_search'))
    : { body: edits.body, removed: [] };
  const remaining = withoutFields(searched.body, new Set(fields));
  const changed = names.size === 0 ? remaining : withoutTools(remaining, terms);
  return {
    kind: 'passed',
    body: changed,
    removed: [...names, ...fields, ...edits.removed, ...searched.removed],
    usesServerTools: serverTools.length > disallowed.length || !isAbsent(changed['mcp_servers']),
  };
}

/**
 * Keeps only those context edits that leave something out. A compaction is a further pass of the model inside the
 * same call, and no limit of the request bounds its output.
 */
function boundedEdits(body: RequestBody): {
  readonly body: RequestBody;
  readonly removed: readonly string[];
} {
  const management = body['context_management'];
  if (isAbsent(management)) return { body, removed: [] };
  const written = recordField(management)['edits'];
  if (!isRecord(management) || !(isAbsent(written) || Array.isArray(written)))
    return {
      body: withoutFields(body, new Set(['context_management'])),
      removed: ['context_management'],
    };
  const edits: readonly unknown[] = Array.isArray(written) ? written : [];
  const types = edits.map((edit) => textField(recordField(edit)['type']));
  const removed = types.filter((type) => !type.startsWith('clear_'));
  if (removed.length === 0) return { body, removed };
  const allowedEdits = edits.filter((_edit, index) => types[index]?.startsWith('clear_'));
  return {
    body: { ...body, context_management: { ...management, edits: allowedEdits } },
    removed: removed.map((type) => type || 'context_management'),
  };
}

/** Undefined for a tool that the caller runs. */
function serverTool(tool: RequestBody): NamedTool | undefined {
  if (isAbsent(tool['type']) || CLIENT_TOOLS.test(textField(tool['type']))) return undefined;
  const name = textField(tool['type']);
  const known = SERVER_TOOLS.find(([pattern]) => pattern.test(name));
  return { name: name || 'unknown', tool: known?.[1] ?? null };
}

function withoutTools(body: RequestBody, terms: ScreenTerms): RequestBody {
  const tools = recordList(body['tools']).filter((tool) => {
    const named = serverTool(tool);
    return named === undefined || isAllowed(named, terms);
  });
  const choice = body['tool_choice'];
  const isChoiceRemoved =
    isRecord(choice) &&
    choice['type'] === 'tool' &&
    !tools.some((tool) => tool['name'] === recordField(choice)['name']);
  return { ...(isChoiceRemoved ? withoutFields(body, new Set(['tool_choice'])) : body), tools };
}
