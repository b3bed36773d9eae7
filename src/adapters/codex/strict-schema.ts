/**
 * A schema in the form that OpenAI holds a model to: every key is required, one that may be missing
 * may be null instead, and what is only a bound is left out, since not all bounds are known there.
 */
import { isRecord } from '../../base/json.ts';

type Schema = Readonly<Record<string, unknown>>;

const KEPT = ['type', 'enum', 'const', 'description'] as const;

export function strictSchema(schema: Schema): Schema {
  const { properties, items, anyOf } = schema;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    ...Object.fromEntries(KEPT.flatMap((key) => (key in schema ? [[key, schema[key]]] : []))),
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
