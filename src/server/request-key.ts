/** Identifies a command: the idempotency key in its header, and a digest of the request. */
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import { canonicalJson } from '../base/json.ts';
import type { RunRequest } from '../protocol/api.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { RequestMark } from '../protocol/run-submission.ts';
import { runStream } from '../protocol/streams.ts';
import { REQUEST_KEY_MAX } from '../protocol/run-submission.ts';

const KEY_HEADER = 'idempotency-key';
/** Visible ASCII characters. */
const KEY = /^[\x21-\x7e]+$/;

/** The run that a fact belongs to. */
export function runIdParam({ stream }: StoredEvent): RunId {
  return stream.slice(runStream('').length) as RunId;
}

/** The command without what the environment of its shell adds to it, so that a retry from another shell is the same. */
export function typedPart(request: RunRequest): object {
  const { notify, isUsualNotify, signsNotify: _, ...typed } = request;
  return notify === undefined || isUsualNotify === true ? typed : { ...typed, notify };
}

/** Undefined if the client sent no key. */
export function requestKey(context: Context, body: unknown): RequestMark | undefined {
  const key = context.req.header(KEY_HEADER);
  if (key === undefined) return undefined;
  if (key.length > REQUEST_KEY_MAX || !KEY.test(key))
    throw new Refusal({
      code: 'request.invalid',
      message: `Invalid idempotency key. Use 1 to ${REQUEST_KEY_MAX} visible ASCII characters.`,
      hint: 'A UUID is a good key.',
    });
  const content = canonicalJson([context.req.method, context.req.path, (body ?? null) as Json]);
  return { key, digest: createHash('sha256').update(content).digest('hex') };
}
