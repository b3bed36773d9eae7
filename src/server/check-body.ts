import type { Context } from 'hono';
import { Refusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { RunEnvironment } from '../protocol/run-environment.ts';
import { WithEnvironment } from '../protocol/run-environment.ts';
import { pageChannel } from './page-channel.ts';

type Issue = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
};
type Schema<Value> = {
  safeParse(
    value: unknown,
  ): { success: true; data: Value } | { success: false; error: { issues: readonly Issue[] } };
};

/** Checks input from outside. Refuses with the fields that are wrong. */
export function checkQuery<Value>(schema: Schema<Value>, value: unknown): Value {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const wrong = checked.error.issues
    .slice(0, 5)
    .map(
      (issue) =>
        `${issue.path.length === 0 ? 'the request' : issue.path.join('.')}: ${describeIssue(issue)}`,
    );
  throw new Refusal({ code: 'request.invalid', message: wrong.join('; ') });
}

/** The library's own words for a bound are no sentence. Messages of our schemas stay as they are. */
function describeIssue({ message, code, origin, minimum, maximum }: Issue): string {
  const unit = origin === 'string' ? ' characters' : origin === 'array' ? ' items' : '';
  if (code === 'too_small' && message.startsWith('Too small'))
    return Number(minimum) === 1 && unit !== '' ? 'is empty' : `must be at least ${minimum}${unit}`;
  if (code === 'too_big' && message.startsWith('Too big'))
    return `must be at most ${maximum}${unit}`;
  return message;
}

/** Checks a body and splits off the environment of the command, so that no digest, fact or message contains it. */
export async function checkCommand<Value>(
  schema: Schema<Value>,
  context: Context,
): Promise<{ readonly request: Value; readonly environment: RunEnvironment | undefined }> {
  const body = await checkBody(context);
  if (!isRecord(body)) return { request: checkQuery(schema, body), environment: undefined };
  const { environment, ...request } = body;
  // A page has no shell. What it names here could decide which programs run.
  if (environment !== undefined && pageChannel(context) !== undefined)
    throw new Refusal({
      code: 'request.invalid',
      message: 'A page may not send an environment.',
      hint: 'Use the command line for it.',
    });
  return {
    request: checkQuery(schema, request),
    ...checkQuery(WithEnvironment, { environment }),
  };
}

/** A body that is not JSON, or too deep, becomes undefined. The schema then reports what was expected. */
export async function checkBody(context: Context): Promise<unknown> {
  return parseJson(await context.req.text().catch(() => '')); // the client has closed the connection
}
