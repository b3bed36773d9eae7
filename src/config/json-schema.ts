/** The JSON Schema that editors complete and check configuration files with. */
import { configFileJsonSchema } from '../protocol/config-file.ts';
import type { JsonSchema } from '../protocol/config-file.ts';

/** What a file may hold, including what the reader takes out before the schema sees it. */
export function configJsonSchema(): JsonSchema {
  return { title: 'Supervisor configuration', ...asWritten(configFileJsonSchema()) };
}

const NOTES = { '^x-': { description: 'A note of your own.' } };

/** Adds notes (`x-*`) to maps, `{ replace: [...] }` to lists, and null to every optional key. */
function asWritten(schema: JsonSchema): JsonSchema {
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
    const named = { ...NOTES, [propertyNames.pattern]: additionalProperties };
    return { ...rest, patternProperties: named, additionalProperties: false };
  }
  return schema;
}

function replacing(list: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description: 'This list instead of what other files say; a plain list is added to theirs.',
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
