import type { Json } from '../base/json.ts';
import type { Redactor } from './redactor.ts';

/** A value as it may be kept: every text in it, at whatever depth, without secrets. */
export async function redactValue<Value extends Json>(
  redactor: Redactor,
  value: Value,
): Promise<Value> {
  return (await kept(redactor, value)) as Value;
}

async function kept(redactor: Redactor, value: Json): Promise<Json> {
  if (typeof value === 'string') return redactor.kept(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return Promise.all(value.map((item: Json) => kept(redactor, item)));
  const entries = Object.entries(value).map(async ([name, field]): Promise<[string, Json]> => [
    name,
    await kept(redactor, field),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}
