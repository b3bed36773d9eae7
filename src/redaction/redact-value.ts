import type { Json } from '../base/json.ts';
import type { Redactor } from './redactor.ts';

/** A value that may be stored: every text in it, at any depth, is redacted. */
export async function redactValue<Value extends Json>(
  redactor: Redactor,
  value: Value,
): Promise<Value> {
  return (await redactDeep(redactor, value)) as Value;
}

async function redactDeep(redactor: Redactor, value: Json): Promise<Json> {
  if (typeof value === 'string') return redactor.redact(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value))
    return Promise.all(value.map((item: Json) => redactDeep(redactor, item)));
  const entries = Object.entries(value).map(async ([name, field]): Promise<[string, Json]> => [
    name,
    await redactDeep(redactor, field),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}
