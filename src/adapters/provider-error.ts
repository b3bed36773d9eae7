/**
 * Reads the provider's error inside the error of a CLI: the quoted body, the status and the wait.
 */
import { isRecord, parseJson } from '../base/json.ts';
import type { AgentError } from './agent-event.ts';
import { agentError } from './agent-event.ts';
import type { Fields } from './json-fields.ts';
import { list, number, text } from './json-fields.ts';

type Known = Partial<Omit<AgentError, 'message'>>;

/**
 * `known` is what the CLI reports outside the message. It takes precedence over what the message
 * quotes.
 */
export function readProviderError(message: string, known: Known = {}): AgentError {
  const body = quotedBody(message);
  const quoted = body === undefined ? undefined : readBody(body);
  const codes = [known.code, quoted?.code].filter((code) => code !== undefined && code !== null);
  return agentError(message, {
    status: known.status ?? quoted?.status ?? readStatus(message),
    code: codes.length === 0 ? null : codes.join(' '),
    at: known.at ?? null,
    retryAfterMs: known.retryAfterMs ?? quoted?.retryAfterMs ?? null,
    resetAt: known.resetAt ?? quoted?.resetAt ?? null,
  });
}

/** The JSON object that a message quotes, alone or inside other text. */
function quotedBody(message: string): Fields | undefined {
  const start = message.indexOf('{');
  const end = message.lastIndexOf('}');
  if (start === -1 || end < start) return undefined;
  const value = parseJson(message.slice(start, end + 1));
  return isRecord(value) ? value : undefined;
}

/** Anthropic, OpenAI and Google wrap it in `error`; some CLIs remove the wrapper. */
function readBody(body: Fields): Known {
  const error = isRecord(body['error']) ? body['error'] : body;
  const details = list(error, 'details');
  const numeric = number(error, 'code') ?? number(error, 'status') ?? number(body, 'status');
  const parts = [
    text(error, 'code'),
    text(error, 'type'),
    text(error, 'status'),
    ...details.map((detail) => text(detail, 'reason')),
    ...details.flatMap((detail) => list(detail, 'violations').map((one) => text(one, 'quotaId'))),
  ].filter((word) => word !== undefined);
  const resetsAtS = number(error, 'resets_at');
  const resetsInS = number(error, 'resets_in_seconds');
  const delay = details
    .map((detail) => text(detail, 'retryDelay'))
    .find((one) => one !== undefined);
  return {
    status: numeric !== undefined && isFailure(numeric) ? numeric : null,
    code: parts.length === 0 ? null : [...new Set(parts)].join(' '),
    retryAfterMs:
      resetsInS !== undefined ? resetsInS * 1000 : delay === undefined ? null : seconds(delay),
    resetAt: resetsAtS === undefined ? null : resetsAtS * 1000,
  };
}

function isFailure(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 599;
}

/** `34.07s` in milliseconds. */
function seconds(delay: string): number | null {
  const [, amount] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(delay) ?? [];
  return amount === undefined ? null : Number(amount) * 1000;
}

/** Reads a status only where a CLI writes one, not any number of three digits. */
function readStatus(message: string): number | null {
  const [, status] =
    /(?:\bstatus(?: code)?:? |\bHTTP |\bAPI Error: |\bLast error: |^)([45]\d\d)\b(?! ?(?:lines|tokens|files|ms|bytes))/i.exec(
      message,
    ) ?? [];
  return status === undefined ? null : Number(status);
}

/** The wait according to the provider's response headers. */
export function readRetryAfter(headers: Fields): Pick<Known, 'retryAfterMs' | 'resetAt'> {
  const value = (name: string): string | undefined =>
    text(headers, name) ?? number(headers, name)?.toString();
  const afterMs = Number(value('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(afterMs)) return { retryAfterMs: afterMs };
  const after = value('retry-after');
  if (after !== undefined) {
    if (/^\d{1,9}(?:\.\d{1,9})?$/.test(after)) return { retryAfterMs: Number(after) * 1000 };
    const until = Date.parse(after);
    if (!Number.isNaN(until)) return { resetAt: until };
  }
  const unified = Number(value('anthropic-ratelimit-unified-reset') ?? Number.NaN);
  if (Number.isFinite(unified)) return { resetAt: unified * 1000 };
  const names = ['requests', 'tokens', 'input-tokens', 'output-tokens'];
  const resets = names.map((name) => Date.parse(value(`anthropic-ratelimit-${name}-reset`) ?? ''));
  const latest = Math.max(...resets.filter((reset) => !Number.isNaN(reset)));
  if (Number.isFinite(latest)) return { resetAt: latest };
  return {};
}
