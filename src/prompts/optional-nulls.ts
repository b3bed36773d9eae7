import { isRecord } from '../base/json.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * A CLI that holds its model to a schema may know no keys that can be missing: the model then gives
 * null for them. Such a null is taken out; one that the schema allows stays.
 */
export function withoutOptionalNulls(value: unknown, schema: Schema): unknown {
  const { properties, items } = schema;
  if (Array.isArray(value))
    return isRecord(items) ? value.map((item) => withoutOptionalNulls(item, items)) : value;
  if (!isRecord(value) || !isRecord(properties)) return value;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const of = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (!isRecord(of)) return [[key, part]];
      if (part === null && !required.includes(key)) return [];
      return [[key, withoutOptionalNulls(part, of)]];
    }),
  );
}
