/**
 * The JSON Schema that editors use must agree with the reader that decides. The schema is turned
 * back into a validator and asked about the same documents.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import { isRefusal } from '../../src/base/errors.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { parseConfigText } from '../../src/config/load.ts';

const validator = z.fromJSONSchema(configJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);

function schemaAccepts(document: unknown): boolean {
  return validator.safeParse(document).success;
}

function readerAccepts(document: unknown): boolean {
  try {
    parseConfigText(JSON.stringify(document), 'c.yaml');
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

describe('the schema for editors and the reader agree', () => {
  const agent = { id: 'a', cli: 'claude' };
  const cases: [why: string, document: unknown, good: boolean][] = [
    ['nothing', {}, true],
    ['an agent', { agents: [{ ...agent, args: ['-v'], env: { A: 'b' } }] }, true],
    ['an agent without a cli', { agents: [{ id: 'a' }] }, false],
    ['an agent whose id is null', { agents: [{ ...agent, id: null }] }, false],
    ['an agent with a bad id', { agents: [{ ...agent, id: '1' }] }, false],
    ['an agent with an unknown key', { agents: [{ ...agent, name: 'x' }] }, false],
    ['a number in args', { agents: [{ ...agent, args: [1] }] }, false],
    ['a number in env', { agents: [{ ...agent, env: { A: 1 } }] }, false],
    ['a bad name in env', { agents: [{ ...agent, env: { 'a-b': 'c' } }] }, false],
    ['a note in env', { agents: [{ ...agent, env: { 'x-a': 1 } }] }, true],
    ['a list that replaces', { agents: { replace: [agent] } }, true],
    ['a list that replaces, inside', { agents: [{ ...agent, args: { replace: ['a'] } }] }, true],
    ['a bad list that replaces', { agents: { replace: [{}] } }, false],
    ['replace and more', { agents: { replace: [agent], more: 1 } }, false],
    ['notes at every level', { 'x-a': [1, { b: 2 }], limits: { 'x-b': null } }, true],
    ['null for each block', { agents: null, limits: null, attempt: null, owner: null }, true],
    ['null for leaves', { version: null, default_agent: null, attempt: { grace: null } }, true],
    ['durations', { attempt: { grace: '500ms', deadline: 3600 } }, true],
    ['a duration with a wrong unit', { attempt: { grace: '5 minutes' } }, false],
    ['seconds out of range', { attempt: { grace: 601 } }, false],
    ['sizes', { attempt: { output_max: '1GB' } }, true],
    ['a number out of range', { limits: { attempts: 1001 } }, false],
    ['a fraction', { limits: { attempts: 1.5 } }, false],
    ['another version', { version: 2 }, false],
    ['an unknown key', { limts: {} }, false],
    ['a list for a block', { owner: [] }, false],
    ['a list for everything', [], false],
  ];
  for (const [why, document, good] of cases) {
    test(`${good ? 'good' : 'bad'}: ${why}`, () => {
      assert.deepEqual([schemaAccepts(document), readerAccepts(document)], [good, good]);
    });
  }

  test('what the reader accepts, the schema accepts', () => {
    const value = fc.constantFrom<unknown>(
      ...[null, 0, 1, 5, 600, 1.5, true, '', 'a', '10s', '11m', '10MB', 'claude', [], {}],
    );
    const block = (...keys: string[]): fc.Arbitrary<unknown> =>
      fc.oneof(value, fc.dictionary(fc.constantFrom('x-a', ...keys), value, { maxKeys: 3 }));
    const agents = fc.array(block('id', 'cli', 'args', 'model', 'env'), { maxLength: 2 });
    const document = fc.record(
      {
        version: value,
        agents: fc.oneof(value, agents, fc.record({ replace: agents })),
        default_agent: value,
        limits: block('attempts', 'attempts_per_project', 'starts_per_minute'),
        attempt: block('grace', 'deadline', 'lost_max', 'output_max'),
        owner: block('idle_exit', 'events_page'),
        'x-note': value,
      },
      { requiredKeys: [] },
    );
    let accepted = 0;
    fc.assert(
      fc.property(document, (given) => {
        if (!readerAccepts(given)) return;
        accepted += 1;
        assert.ok(schemaAccepts(given));
      }),
      { numRuns: 2000 },
    );
    assert.ok(accepted > 100, `only ${accepted} documents were good: they test too little`);
  });

  test('every key has a description', () => {
    const silent: string[] = [];
    const visit = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [key, part] of Object.entries(schema)) {
        if (key === 'properties')
          for (const [name, property] of Object.entries(part as Record<string, object>))
            if (name !== 'replace' && !('description' in property)) silent.push(`${path}/${name}`);
        visit(part, `${path}/${key}`);
      }
    };
    visit(configJsonSchema(), '');
    assert.deepEqual(silent, []);
  });
});
