/** Requests of the page to its owner. */
import type { RefusalData } from '../../../src/base/errors.ts';
import { pageKey } from './page-key.ts';

/** The owner refused a request, and says why. */
export class Refused extends Error {
  readonly status: number;
  readonly hint: string | undefined;
  readonly code: string;

  constructor(
    status: number,
    { code, message, hint }: Pick<RefusalData, 'message' | 'hint'> & { code: string },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

const HEADERS = { 'x-supervisor-page': '' };

function headers(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return { ...HEADERS, 'x-supervisor-page': pageKey(), ...more };
}

export async function get<Value>(path: string, signal?: AbortSignal): Promise<Value> {
  const answer = await fetch(path, {
    headers: headers(),
    ...(signal === undefined ? {} : { signal }),
  });
  return read<Value>(answer);
}

/** The key lets the owner recognize a request that is sent again. */
export async function post<Value = unknown>(path: string, body: unknown): Promise<Value> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: headers({ 'content-type': 'application/json', 'idempotency-key': newKey() }),
    body: JSON.stringify(body),
  });
  return read<Value>(answer);
}

/** The bytes of a stream. */
export async function open(path: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const answer = await fetch(path, { headers: headers(), signal });
  if (!answer.ok || answer.body === null) await read(answer);
  if (answer.body === null) throw new Error('The owner sent no stream.');
  return answer.body;
}

async function read<Value>(answer: Response): Promise<Value> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body as Value;
  throw new Refused(answer.status, refusalOf(body, answer.status));
}

function refusalOf(
  body: unknown,
  status: number,
): { code: string; message: string; hint?: string } {
  const given = (body as { error?: { code: string; message: string; hint?: string } } | undefined)
    ?.error;
  return (
    given ?? { code: 'owner.failed', message: `The owner answered with the status ${status}.` }
  );
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
