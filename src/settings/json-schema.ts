/** JSON Schemas that editors use to complete and check configuration files. */

/** The part of JSON Schema that describes our files. */
export type JsonSchema = {
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly propertyNames?: JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly pattern?: string;
};

const NOTES = { '^x-': { description: 'Your own note. Supervisor ignores it.' } };

/** Adds what the reader of a file accepts and removes: notes (`x-*`) in maps, `{ replace: [...] }` for lists, and null for optional keys. */
export function asWritten(schema: JsonSchema): JsonSchema {
  const { items, properties, required = [], propertyNames, additionalProperties } = schema;
  if (items !== undefined) {
    return choice(schema, (list) => {
      const written = { ...list, items: asWritten(items) };
      return [written, replacing(written)];
    });
  }
  if (properties !== undefined) {
    const written = Object.entries(properties).map(([key, part]): [string, JsonSchema] => [
      key,
      required.includes(key) ? asWritten(part) : orNull(asWritten(part)),
    ]);
    return { ...schema, properties: Object.fromEntries(written), patternProperties: NOTES };
  }
  if (propertyNames?.pattern !== undefined && typeof additionalProperties === 'object') {
    const { propertyNames: _, ...rest } = schema;
    const named = { ...NOTES, [propertyNames.pattern]: asWritten(additionalProperties) };
    return { ...rest, patternProperties: named, additionalProperties: false };
  }
  return schema;
}

function replacing(list: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description: 'Replaces the lists of lower layers. A plain list is appended to them.',
    properties: { replace: list },
    required: ['replace'],
    additionalProperties: false,
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  return choice(schema, (rest) => [...(rest.anyOf ?? [rest]), { type: 'null' }]);
}

/** The description and the default stay outside, where an editor shows them. */
function choice(
  { description, default: fallback, ...rest }: JsonSchema,
  choices: (rest: JsonSchema) => readonly JsonSchema[],
): JsonSchema {
  return {
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    anyOf: choices(rest),
  };
}
