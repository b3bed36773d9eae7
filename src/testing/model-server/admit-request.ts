import { isRecord } from '../../base/json.ts';
import { findFirst, isBlank } from './request-shape.ts';
import type { ModelRoute } from './model-route.ts';
import type { WireRequest, Complaint, ModelRequest, ModelProblem } from './model-wire.ts';

/** A request as it arrived, read to its end. */
export type IncomingRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if it was larger than the server accepts. */
  readonly body: Buffer | undefined;
};

export type RefusedRequest = {
  readonly rule: string;
  readonly problem: Omit<ModelProblem, 'nowMs'>;
};

export type ServerDoor = {
  /** Full rule names (`wire:rule`) that are not enforced. */
  readonly tolerate: ReadonlySet<string>;
  /** Accepted keys; undefined accepts any. */
  readonly keys: readonly string[] | undefined;
  /** Models that exist; undefined: all of them. */
  readonly models: readonly string[] | undefined;
};

/** The key of the request, in the header that each provider reads. */
function readKey({ wire }: ModelRoute, { headers, url }: IncomingRequest): string {
  const bearer = /^Bearer\s+(\S+)/i.exec(headers['authorization'] ?? '')?.[1];
  const inQuery = /[?&]key=([^&]*)/.exec(url)?.[1];
  const offered = {
    anthropic: [headers['x-api-key'], bearer],
    gemini: [headers['x-goog-api-key'], inQuery, bearer],
    'openai-chat': [bearer],
    'openai-responses': [bearer],
  }[wire.name];
  return offered.find((key) => !isBlank(key))?.trim() ?? '';
}

/** The rules that a request breaks: those that are not enforced, and the first that is. */
export type RuleBreach = {
  readonly tolerated: readonly string[];
  readonly broken?: { readonly rule: string; readonly complaint: Complaint };
};

export function brokenRules(
  { wire, rules }: Pick<ModelRoute, 'wire' | 'rules'>,
  wireRequest: WireRequest,
  tolerate: ReadonlySet<string>,
): RuleBreach {
  const tolerated: string[] = [];
  const broken = findFirst(Object.entries(rules), ([name, rule]) => {
    const complaint = rule(wireRequest);
    if (complaint === undefined) return undefined;
    const full = `${wire.name}:${name}`;
    if (!tolerate.has(full)) return { rule: full, complaint };
    tolerated.push(full);
    return undefined;
  });
  return { tolerated, ...(broken !== undefined && { broken }) };
}

/** Why a path or a caller gets no answer, whatever the body is. */
export function refuseCaller(
  route: ModelRoute,
  incoming: IncomingRequest,
  { keys }: ServerDoor,
): RefusedRequest | undefined {
  if (route.operation === 'probe') return undefined;
  if (route.operation === 'nothing-here') {
    const path = `${incoming.method} ${incoming.url.replace(/\?.*$/, '')}`;
    return { rule: 'path', problem: { kind: 'path-not-found', path } };
  }
  const key = readKey(route, incoming);
  if (key === '') return { rule: 'key', problem: { kind: 'no-key' } };
  if (keys?.includes(key) === false) return { rule: 'key', problem: { kind: 'bad-key' } };
  return undefined;
}

/** Why a conversation is refused. */
export function refuseBody(
  { wire }: ModelRoute,
  incoming: IncomingRequest,
  body: unknown,
  { broken }: RuleBreach,
  request: ModelRequest,
  { models }: ServerDoor,
): RefusedRequest | undefined {
  if (incoming.body === undefined) return { rule: 'size', problem: { kind: 'too-large' } };
  if (!isRecord(body))
    return { rule: 'json', problem: { kind: 'bad-request', message: wire.notJson } };
  if (broken !== undefined)
    return { rule: broken.rule, problem: { kind: 'bad-request', ...broken.complaint } };
  return models?.includes(request.model) === false
    ? { rule: 'model', problem: { kind: 'model-not-found' } }
    : undefined;
}
