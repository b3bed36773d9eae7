import type { WireName, WireReader } from '../wires/wire.ts';
import { anthropic } from '../wires/anthropic-wire.ts';
import { gemini } from '../wires/gemini-wire.ts';
import { openaiChat } from '../wires/openai-chat-wire.ts';
import { openaiResponses } from '../wires/openai-responses-wire.ts';

export const READERS: Readonly<Record<WireName, WireReader>> = {
  anthropic,
  gemini,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
};

/** The meaning of a method and a path. Only these calls leave the gateway. */
export type CallRoute = {
  readonly wire: WireReader;
  /** `compact` also generates: a shorter history. */
  readonly operation: 'generate' | 'compact' | 'count' | 'models';
  /** Path and query as they are sent upstream, without a key. */
  readonly target: string;
};

const MODEL = '[A-Za-z0-9][A-Za-z0-9._-]{0,127}';
const ROUTES: readonly (readonly [
  method: 'GET' | 'POST',
  path: RegExp,
  wire: WireReader | 'by-headers',
  operation: CallRoute['operation'],
])[] = [
  ['POST', /^\/v1\/messages$/, anthropic, 'generate'],
  ['POST', /^\/v1\/messages\/count_tokens$/, anthropic, 'count'],
  ['POST', /^\/v1\/responses$/, openaiResponses, 'generate'],
  ['POST', /^\/v1\/responses\/compact$/, openaiResponses, 'compact'],
  ['POST', /^\/v1\/responses\/input_tokens$/, openaiResponses, 'count'],
  ['POST', /^\/v1\/chat\/completions$/, openaiChat, 'generate'],
  [
    'POST',
    new RegExp(`^/v1(?:beta)?/models/${MODEL}:(?:generateContent|streamGenerateContent)$`),
    gemini,
    'generate',
  ],
  ['POST', new RegExp(`^/v1(?:beta)?/models/${MODEL}:countTokens$`), gemini, 'count'],
  ['GET', new RegExp(`^/v1beta/models(?:/${MODEL})?$`), gemini, 'models'],
  ['GET', new RegExp(`^/v1/models(?:/${MODEL})?$`), 'by-headers', 'models'],
];

/** Plain pairs only, so that no other server can parse the query differently. */
const QUERY = /^(?:[\w.$-]{1,64}=[\w.%-]{0,256}(?:&(?!$)|$))*$/;

/** Other parameters, such as `$httpMethod` and `key`, could turn it into another call or use another account. */
const ALLOWED_PARAMS = new Set([
  'alt',
  'beta',
  'client_version',
  'api-version',
  'pageSize',
  'pageToken',
  'limit',
  'after_id',
  'before_id',
]);

/** Undefined if the request is not a model call. `url` is used as it was sent, never decoded. */
export function findRoute(
  method: string,
  url: string,
  headers: Readonly<Record<string, unknown>>,
): CallRoute | undefined {
  const [path = '', ...queries] = url.split('?');
  const [query = ''] = queries;
  if (queries.length > 1 || !QUERY.test(query)) return undefined;
  const found = ROUTES.find(([verb, pattern]) => verb === method && pattern.test(path));
  if (found === undefined) return undefined;
  const [, , wire, operation] = found;
  const forwarded = query
    .split('&')
    .filter((pair) => ALLOWED_PARAMS.has(pair.slice(0, pair.indexOf('='))));
  return {
    wire: wire === 'by-headers' ? wireForHeaders(headers) : wire,
    operation,
    target: forwarded.length === 0 ? path : `${path}?${forwarded.join('&')}`,
  };
}

/** The wire whose error format to use if the path alone does not determine it. */
export function wireForHeaders(headers: Readonly<Record<string, unknown>>): WireReader {
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined)
    return anthropic;
  return headers['x-goog-api-key'] === undefined ? openaiResponses : gemini;
}
