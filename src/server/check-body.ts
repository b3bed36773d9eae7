import type { Context } from 'hono';
import { Refusal } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string };
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
      ({ path, message }) => `${path.length === 0 ? 'the request' : path.join('.')}: ${message}`,
    );
  throw new Refusal({ code: 'request.invalid', message: wrong.join('; ') });
}

/** A body that is not JSON, or too deep, becomes undefined. The schema then reports what was expected. */
export async function checkBody(context: Context): Promise<unknown> {
  return parseJson(await context.req.text().catch(() => '')); // the client has closed the connection
}
