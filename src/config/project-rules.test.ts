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

/** Every key of a file, in the notation of the table. */
function listKeys(schema: Part, key: string): readonly string[] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, part]) =>
      listKeys(part as Part, key === '' ? name : `${key}.${name}`),
    );
  if (schema.items !== undefined) return listKeys(schema.items, `${key}[]`);
  return [key.replace(/^tree(\.children\[\])+/, 'tree.children[]')];
}

test('every setting has a rule for projects, and every rule has a setting', () => {
  const keys = new Set(listKeys(configFileJsonSchema(), ''));
  assert.deepEqual(Object.keys(PROJECT_RULES).toSorted(), [...keys].toSorted());
});
