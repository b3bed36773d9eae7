import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRecord } from '../base/json.ts';
import { DOCUMENT_NAMES, describeDocument, documentJsonSchema } from './documents.ts';

type Schema = Readonly<Record<string, unknown>>;
type Place = { readonly at: string; readonly key: string; readonly schema: Schema };

/** Every schema inside a schema, with the key of the property that it describes. */
function placesIn(schema: Schema, at: string, key = ''): readonly Place[] {
  const { properties, items, anyOf } = schema;
  return [
    { at, key, schema },
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, part]) =>
      isRecord(part) ? placesIn(part, `${at}.${name}`, name) : [],
    ),
    ...(isRecord(items) ? placesIn(items, `${at}[]`) : []),
    ...(Array.isArray(anyOf) ? anyOf.filter(isRecord) : []).flatMap((part) =>
      placesIn(part, at, key),
    ),
  ];
}

const places = DOCUMENT_NAMES.flatMap((name) => placesIn(documentJsonSchema(name), name));
const SNAKE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
/** An agent's plan is in the form of its role. */
const OF_OTHERS = /^plan\.plan/;

function wrong(isWrong: (place: Place) => boolean): readonly string[] {
  return places.filter((place) => !OF_OTHERS.test(place.at) && isWrong(place)).map(({ at }) => at);
}

describe('all documents for scripts', () => {
  test('are found', () => assert.ok(places.length > 500, String(places.length)));

  test('have keys in snake_case, and no unit in another form', () =>
    assert.deepEqual(
      wrong(({ key }) => key !== '' && (!SNAKE.test(key) || /_(?:s|seconds|sec|cents)$/.test(key))),
      [],
    ));

  test('have states in snake_case', () =>
    assert.deepEqual(
      wrong(
        ({ key, schema }) =>
          key === 'state' &&
          Array.isArray(schema['enum']) &&
          schema['enum'].some((value) => !SNAKE.test(String(value))),
      ),
      [],
    ));

  test('have ISO times in every field that is named as a time', () =>
    assert.deepEqual(
      wrong(
        ({ key, schema }) =>
          /_at$|_until$|^(?:at|since|until|before)$/.test(key) &&
          key !== 'looked_at' &&
          (schema['type'] === 'string' || schema['type'] === 'number') &&
          schema['format'] !== 'date-time',
      ),
      [],
    ));

  test('accept null for an unknown cost', () =>
    assert.deepEqual(
      places
        .filter(({ key, schema }) => key === 'cost_usd' && Array.isArray(schema['anyOf']))
        .filter(({ schema }) => !JSON.stringify(schema['anyOf']).includes('"null"')),
      [],
    ));

  test('refuse keys that they do not list', () =>
    assert.deepEqual(
      wrong(
        ({ schema }) => isRecord(schema['properties']) && schema['additionalProperties'] !== false,
      ),
      [],
    ));

  test('name their schema and its version, and say what they are', () => {
    for (const name of DOCUMENT_NAMES) {
      assert.match(describeDocument(name), /^[A-Z].*\.$/);
      const text = JSON.stringify(documentJsonSchema(name));
      assert.ok(text.includes(`"const":"supervisor.${name}/1"`), name);
    }
  });
});
