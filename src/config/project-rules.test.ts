import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configFileJsonSchema } from '../settings/config-file.ts';
import type { JsonSchema } from '../settings/json-schema.ts';
import { PROJECT_RULES } from './project-rules.ts';

type Part = JsonSchema & {
  readonly items?: Part;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly Part[];
};

/** Every key that can be written, in the words of the table. */
function keysOf(schema: Part, key: string): readonly string[] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, part]) =>
      keysOf(part as Part, key === '' ? name : `${key}.${name}`),
    );
  if (schema.items !== undefined) return keysOf(schema.items, `${key}[]`);
  return [key.replace(/^tree(\.children\[\])+/, 'tree.children[]')];
}

test('every setting says whether a project may set it, and no entry is left over', () => {
  const keys = new Set(keysOf(configFileJsonSchema(), ''));
  assert.deepEqual(Object.keys(PROJECT_RULES).toSorted(), [...keys].toSorted());
});
