/**
 * Classifies the refusal of a provider and how long it holds, from its status, its headers and the types in its body.
 * The text of a message counts only where the provider gives no type.
 */
import { after, at } from '../../base/clock.ts';
import type { Instant } from '../../base/clock.ts';
import { recordField, recordList, textField } from '../wires/json-shape.ts';
import type { WireError } from '../wires/wire.ts';

type RefusalCause =
  | 'auth'
  | 'forbidden'
  /** A plan, a balance or a long usage window is used up. */
  | 'quota'
  /** Too many requests or tokens in a short time. */
  | 'rate-limit'
  | 'overloaded'
  | 'server-error'
  | 'context-overflow'
  | 'model-not-found'
  | 'bad-request';

export type ProviderRefusal = {
  readonly cause: RefusalCause;
  /** The status of the answer. 200 if the error came inside a stream. */
  readonly status: number;
  /** The provider's own error type. */
  readonly type: string;
  readonly message: string;
  /** When a retry makes sense, if the provider says so. */
  readonly retryAt: Instant | null;
};

type Headers = Readonly<Record<string, string>>;

const MESSAGE_CHARS_MAX = 500;
const CLASSIFIED_CHARS_MAX = 4000;
const QUOTA_TYPES =
  /insufficient_quota|usage_limit_reached|usage_not_included|billing|credit|quota_exceeded/i;
/** Matched at the beginning of a message only: further on, a message may quote the request. */
const QUOTA_MESSAGES =
  /^(?:your )?credit balance is too low|^billing hard limit|^.{0,200}please enable billing/i;
const QUOTA_DETAILS = /PerDay|BILLING_DISABLED/i;
/** The request is larger than a minute's limit: the request is the problem, whatever the status. */
const REQUEST_TOO_LARGE =
  /^request too large|^.{0,60}\b(?:required|available|enabled) for long[- ]context/i;
const CONTEXT =
  /prompt is too long|prompt_too_long|context_length_exceeded|maximum context length|exceeds the context window|input token count .* exceeds/i;
const RATE_TYPES = /rate_limit|RESOURCE_EXHAUSTED/;
const BUSY_TYPES = /overloaded|UNAVAILABLE/;
const AUTH_TYPES = /authentication_error|UNAUTHENTICATED|invalid_api_key|API_KEY_INVALID/;

/** `status` is 200 for an error inside a stream. Then the type alone classifies it. */
export function readRefusal(
  status: number,
  headers: Headers,
  error: WireError | null,
  now: Instant,
): ProviderRefusal {
  const { type, message, body } = error ?? { type: '', message: '', body: {} };
  return {
    cause: classifyCause(
      status,
      headers,
      type,
      message.slice(0, CLASSIFIED_CHARS_MAX),
      errorDetails(body),
    ),
    status,
    type,
    message: message.slice(0, MESSAGE_CHARS_MAX),
    retryAt: readRetryAt(headers, body, now),
  };
}

/** The typed details that Google puts beside its message. */
function errorDetails(body: Readonly<Record<string, unknown>>): string {
  const details = recordList(recordField(body['error'])['details']);
  return details
    .flatMap((detail) => [
      textField(detail['reason']),
      ...recordList(detail['violations']).map((violation) => textField(violation['quotaId'])),
    ])
    .join(' ');
}

function classifyCause(
  status: number,
  headers: Headers,
  type: string,
  message: string,
  details: string,
): RefusalCause {
  if (CONTEXT.test(type) || CONTEXT.test(message)) return 'context-overflow';
  if (status === 401 || AUTH_TYPES.test(type) || AUTH_TYPES.test(details)) return 'auth';
  if (REQUEST_TOO_LARGE.test(message)) return 'bad-request';
  const isUsedUp = headers['anthropic-ratelimit-unified-status'] === 'rejected';
  if (status === 402 || isUsedUp || QUOTA_TYPES.test(type)) return 'quota';
  if (QUOTA_MESSAGES.test(message) || QUOTA_DETAILS.test(details)) return 'quota';
  if (status === 403) return 'forbidden';
  if (status === 429 || RATE_TYPES.test(type)) return 'rate-limit';
  if (status === 503 || status === 529 || BUSY_TYPES.test(type)) return 'overloaded';
  if (status === 404) return 'model-not-found';
  if (status >= 500 || status < 400) return 'server-error';
  return 'bad-request';
}

function spanMs(value: unknown, unitMs: number): number {
  return value === undefined || value === '' ? Number.NaN : Number(value) * unitMs;
}

function readRetryAt(
  headers: Headers,
  body: Readonly<Record<string, unknown>>,
  now: Instant,
): Instant | null {
  const error = recordField(body['error']);
  const delay = recordList(error['details']).map((detail) => textField(detail['retryDelay']));
  const waitsMs = [
    spanMs(headers['retry-after-ms'], 1),
    spanMs(headers['retry-after'], 1000),
    Date.parse(headers['retry-after'] ?? '') - now,
    spanMs(error['resets_in_seconds'], 1000),
    spanMs(headers['anthropic-ratelimit-unified-reset'], 1000) - now,
    ...delay.map((written) => parseSpanMs(written) ?? Number.NaN),
  ];
  const waitMs = waitsMs.find((ms) => Number.isFinite(ms));
  return waitMs === undefined ? null : after(now, Math.max(0, waitMs));
}

const SPAN_UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a duration of OpenAI or Google, such as `6m0s`, `120ms` or `1h2m3.5s`. */
export function parseSpanMs(written: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(written)) return undefined;
  const parts = written.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g);
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * (SPAN_UNITS_MS[unit ?? ''] ?? 0), 0);
}

/**
 * True if the identity, not the moment, is the problem. No retry of the CLI helps, so the run's program is notified
 * at once.
 */
export function isDecisive({ cause }: ProviderRefusal): boolean {
  return cause === 'auth' || cause === 'forbidden' || cause === 'quota' || cause === 'rate-limit';
}

/** The wait for which the gateway holds the call, or undefined. */
export function shortWaitMs(
  { cause, retryAt }: ProviderRefusal,
  patienceMs: number,
  now: Instant,
): number | undefined {
  if (cause !== 'rate-limit' && cause !== 'overloaded' && cause !== 'quota') return undefined;
  if (retryAt === null) return undefined;
  const waitMs = Math.max(0, retryAt - now);
  return waitMs <= patienceMs ? waitMs : undefined;
}

export function readInstant(written: string | undefined): Instant | null {
  if (written === undefined || written === '') return null;
  const ms = /^\d+(?:\.\d+)?$/.test(written) ? Number(written) * 1000 : Date.parse(written);
  return Number.isFinite(ms) ? at(ms) : null;
}
