import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { WireName } from '../wires/wire.ts';

/** The credential that determines the account a provider charges. It never enters the sandbox. */
export type Credential = {
  /** An API key, or the token of a login (a subscription). */
  readonly kind: 'key' | 'login';
  readonly value: string;
};

/** Headers of one connection only, and headers that identify another account or client. */
const DROPPED = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'cookie',
  'set-cookie',
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/**
 * Request headers that are forwarded. Any other header could use another account (`openai-organization`,
 * `x-goog-user-project`) or override the method that was checked.
 */
const FORWARDED = new Set([
  'accept',
  'accept-language',
  'content-type',
  'user-agent',
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'openai-beta',
  'openai-intent',
  'originator',
  'version',
  'session_id',
  'session-id',
  'conversation_id',
  'conversation-id',
  'thread-id',
  'http-referer',
  'idempotency-key',
  'editor-version',
  'editor-plugin-version',
  'copilot-integration-id',
  'copilot-vision-request',
  'x-app',
  'x-title',
  'x-initiator',
  'x-agent-task-id',
  'x-client-name',
  'x-client-version',
  'x-client-request-id',
  'x-client-session-id',
  'x-session-id',
  'x-session-affinity',
  'x-parent-session-id',
  'x-request-id',
  'x-github-api-version',
  'x-goog-api-client',
  'x-gemini-api-privileged-user-id',
  'x-openai-subagent',
]);
const FORWARDED_PREFIXES = [
  'x-stainless-',
  'x-claude-',
  'x-codex-',
  'x-interaction-',
  'x-opencode-',
];

function isForwarded(name: string): boolean {
  return FORWARDED.has(name) || FORWARDED_PREFIXES.some((beginning) => name.startsWith(beginning));
}

/** True if the caller sends the token of this run, wherever its CLI puts a key. */
export function hasToken(headers: IncomingHttpHeaders, url: string, token: string): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  const inQuery = /[?&]key=([^&]*)/.exec(url)?.[1];
  const offered = [bearer, headers['x-api-key'], headers['x-goog-api-key'], inQuery];
  return offered.some((word) => typeof word === 'string' && isSame(word, token));
}

/** Takes the same time for every wrong value, so that timing reveals nothing. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((word) => createHash('sha256').update(word).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

function isForOneHop(headers: IncomingHttpHeaders): (name: string) => boolean {
  const named = new Set(
    (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()),
  );
  return (name) => DROPPED.has(name) || named.has(name);
}

/** The request headers as they are forwarded, with the real credential in place of the run's token. */
export function onwardHeaders(
  headers: IncomingHttpHeaders,
  wire: WireName,
  credential: Credential,
  bytes: number,
): OutgoingHttpHeaders {
  const isDropped = isForOneHop(headers);
  // The body is forwarded uncompressed, so `content-encoding` is not forwarded.
  const forwarded = Object.entries(headers).filter(
    ([name]) => isForwarded(name) && !isDropped(name),
  );
  return {
    ...Object.fromEntries(forwarded),
    ...credentialHeaders(wire, credential),
    // The tee has to read the answer to count its tokens.
    'accept-encoding': 'identity',
    ...(bytes > 0 && { 'content-length': bytes }),
  };
}

function credentialHeaders(
  wire: WireName,
  { kind, value }: Credential,
): Readonly<Record<string, string>> {
  if (kind === 'key' && wire === 'anthropic') return { 'x-api-key': value };
  if (kind === 'key' && wire === 'gemini') return { 'x-goog-api-key': value };
  return { authorization: `Bearer ${value}` };
}

/**
 * The answer's headers as they are returned. `content-encoding` stays, because the bytes of the body are not changed.
 */
export function returnedHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const isDropped = isForOneHop(headers);
  const length = headers['content-length'];
  return {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !isDropped(name))),
    ...(length !== undefined && { 'content-length': length }),
  };
}

export function plainHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}
