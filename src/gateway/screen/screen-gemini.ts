import { isRecord } from '../../base/json.ts';
import { recordField, recordList } from '../wires/json-shape.ts';
import { refuseRemote } from './remote-content.ts';
import { isAbsent, isOneAnswer, notBounded, onlyServerTools, screenRefusal } from './screen.ts';
import { refuseMalformedTools, unknownFields, withoutFields } from './screen.ts';
import type { RequestBody, NamedTool, ScreenResult, ScreenTerms, ServerTool } from './screen.ts';

const CLIENT_TOOLS: ReadonlySet<string> = new Set(['functionDeclarations', 'computerUse']);
const SERVER_TOOLS: Readonly<Record<string, ServerTool>> = {
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
  enterpriseWebSearch: 'web_search',
  googleMaps: 'web_search',
  urlContext: 'web_fetch',
  codeExecution: 'code_execution',
  fileSearch: 'file_search',
  retrieval: 'file_search',
  mcpServers: 'mcp',
};

const KNOWN: ReadonlySet<string> = new Set([
  'contents',
  'tools',
  'toolConfig',
  'safetySettings',
  'systemInstruction',
  'generationConfig',
  'cachedContent',
  'labels',
  'serviceTier',
  'store',
]);

/** Google's APIs accept each name in camelCase and in snake_case. Here each name becomes camelCase. */
export function screenGemini(written: RequestBody, terms: ScreenTerms): ScreenResult {
  const body = normalizeNames(written);
  if (body === undefined)
    return screenRefusal(
      'ambiguous_field',
      'The request has one field in both camelCase and snake_case.',
    );
  const config = recordField(body['generationConfig']);
  const { capped } = terms;
  if (capped && !isOneAnswer(config['candidateCount'])) return notBounded('candidateCount');
  const modalities = isAbsent(config['responseModalities'])
    ? []
    : [config['responseModalities']].flat();
  if (capped && modalities.some((one) => String(one).toUpperCase() !== 'TEXT'))
    return notBounded('responseModalities');
  for (const field of ['speechConfig', 'imageConfig'])
    if (capped && !isAbsent(config[field])) return notBounded(field);
  if (capped && !isAbsent(body['cachedContent'])) return notBounded('cachedContent');
  const counted = recordField(body['generateContentRequest']);
  const remote = [body, counted]
    .map((one) => refuseRemote([one['systemInstruction'], one['contents']], terms))
    .find((one) => one !== undefined);
  if (remote !== undefined) return remote;
  // The model in the path is the one that is priced, so the body must not name another.
  return screenTools(withoutFields(body, new Set(['model'])), terms);
}

function screenTools(body: RequestBody, terms: ScreenTerms): ScreenResult {
  const malformed = refuseMalformedTools(body);
  if (malformed !== undefined) return malformed;
  const unknown = terms.capped ? unknownFields(body, KNOWN) : [];
  const knownBody = withoutFields(body, new Set(unknown));
  const tools = recordList(body['tools']);
  const names = tools.flatMap((tool) =>
    Object.keys(tool).flatMap((name): NamedTool[] =>
      CLIENT_TOOLS.has(name) ? [] : [{ name, tool: SERVER_TOOLS[name] ?? null }],
    ),
  );
  const disallowed = names.filter(({ tool }) => tool === null || !terms.allowed.has(tool));
  const removed = [...new Set([...disallowed.map(({ name }) => name), ...unknown])];
  const usesServerTools = names.length > disallowed.length;
  if (disallowed.length === 0) return { kind: 'passed', body: knownBody, removed, usesServerTools };
  const removedNames = new Set(disallowed.map(({ name }) => name));
  const remaining = tools
    .map((tool) => withoutFields(tool, removedNames))
    .filter((tool) => Object.keys(tool).length > 0);
  if (remaining.length === 0) return onlyServerTools(disallowed);
  return { kind: 'passed', body: { ...knownBody, tools: remaining }, removed, usesServerTools };
}

const LISTS = ['contents', 'parts', 'tools'];
const PARTS = [
  'generationConfig',
  'thinkingConfig',
  'systemInstruction',
  'content',
  'generateContentRequest',
];
const FILES = ['inlineData', 'fileData'];

/** Only the API's own names are changed. The arguments and results of functions belong to the agent. */
function normalizeNames(value: RequestBody): RequestBody | undefined {
  const named = new Map<string, unknown>();
  for (const [key, one] of Object.entries(value)) {
    const name = key.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
    if (named.has(name)) return undefined;
    let changed: unknown = one;
    if (LISTS.includes(name) && (Array.isArray(one) || isRecord(one))) {
      // Google's APIs accept a single object as a list of one.
      const list: readonly unknown[] = Array.isArray(one) ? one : [one];
      const items = list.map((item) => (isRecord(item) ? normalizeNames(item) : item));
      if (items.includes(undefined)) return undefined;
      changed = items;
    } else if ([...PARTS, ...FILES].includes(name) && isRecord(one)) {
      changed = normalizeNames(one);
      if (changed === undefined) return undefined;
    }
    named.set(name, changed);
  }
  return Object.fromEntries(named);
}
