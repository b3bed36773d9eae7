/**
 * Converts a schema to the form that OpenAI enforces: every key is required, and an optional key
 * may be null instead. Bounds are omitted, because not all of them are supported.
 */
import { isRecord } from '../../base/json.ts';

type Schema = Readonly<Record<string, unknown>>;

const SUPPORTED = ['type', 'enum', 'const', 'description'] as const;

export function strictSchema(schema: Schema): Schema {
  const { properties, items, anyOf } = schema;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    ...Object.fromEntries(SUPPORTED.flatMap((key) => (key in schema ? [[key, schema[key]]] : []))),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.filter(isRecord).map(strictSchema) }),
    ...(isRecord(items) && { items: strictSchema(items) }),
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => {
          const strict = strictSchema(isRecord(value) ? value : {});
          return [key, required.includes(key) ? strict : orNull(strict)];
        }),
      ),
      required: Object.keys(properties),
      additionalProperties: false,
    }),
  };
}

function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}
