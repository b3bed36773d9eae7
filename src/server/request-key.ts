/** Which command a request is: the key in its header, and a digest of what it asks. */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import { canonicalJson } from '../base/json.ts';
import type { RequestMark, StoredEvent } from '../protocol/event.ts';
import { REQUEST_KEY_MAX, runStream } from '../protocol/event.ts';

const KEY_HEADER = 'idempotency-key';
/** Visible characters of ASCII. */
const KEY = /^[\x21-\x7e]+$/;

/** The run that a fact belongs to. */
export function runIdParam({ stream }: StoredEvent): RunId {
  return stream.slice(runStream('').length) as RunId;
}

/** Undefined when the caller sent no key. */
export function requestKey(context: Context, body: unknown): RequestMark | undefined {
  const key = context.req.header(KEY_HEADER);
  if (key === undefined) return undefined;
  if (key.length > REQUEST_KEY_MAX || !KEY.test(key))
    throw new Refusal({
      code: 'request.invalid',
      message: `The idempotency key is not 1 to ${REQUEST_KEY_MAX} visible ASCII characters.`,
      hint: 'Use a UUID, for example.',
    });
  const asked = canonicalJson([context.req.method, context.req.path, (body ?? null) as Json]);
  return { key, digest: createHash('sha256').update(asked).digest('hex') };
}
