/**
 * The JSON Schema for editors must agree with the reader that decides. The schema is turned back
 * into a validator and gets the same documents.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { z } from 'zod';
import { isRefusal } from '../../src/base/errors.ts';
import { configJsonSchema } from '../../src/settings/file-schemas.ts';
import { parseConfigText } from '../../src/config/load-settings.ts';

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
    ['a sandbox', { sandbox: { backend: 'docker', image: 'debian:12', cpus: 0.5 } }, true],
    ['a mount', { sandbox: { mounts: [{ path: '~/models', to: '/models' }] } }, true],
    ['a mount without a path', { sandbox: { mounts: [{ to: '/models' }] } }, false],
    ['a relative mount', { sandbox: { mounts: [{ path: 'models' }] } }, false],
    ['preflight scripts', { sandbox: { preflight: ['~/a.sh', './b.sh'] } }, true],
    ['an unknown backend', { sandbox: { backend: 'chroot' } }, false],
    ['no processor at all', { sandbox: { cpus: 0 } }, false],
    ['a tree', { tree: { children: [{ name: 'a', assignment: 'work' }] } }, true],
    [
      'a tree of trees',
      {
        tree: {
          children: [
            {
              name: 't',
              strategy: 'one_for_all',
              children: [{ name: 'a', assignment: 'w', restart: { within: '1h' } }],
            },
          ],
        },
      },
      true,
    ],
    ['an agent without a name', { tree: { children: [{ assignment: 'work' }] } }, false],
    ['a bad name in the tree', { tree: { children: [{ name: 'A', assignment: 'w' }] } }, false],
    [
      'an unknown kind',
      { tree: { children: [{ name: 'a', kind: 'boss', assignment: 'w' }] } },
      false,
    ],
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

  test('the schema accepts everything that the reader accepts', () => {
    const wild = fc.constantFrom<unknown>(0, 1.5, true, '', '11m', '10KB', 'claude', [], {});
    const often = (...good: fc.Arbitrary<unknown>[]): fc.Arbitrary<unknown> =>
      fc.oneof(
        ...good.map((arbitrary) => ({ arbitrary, weight: 9 })),
        { arbitrary: fc.constant(null), weight: 2 },
        { arbitrary: wild, weight: 1 },
      );
    const keys = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
      often(fc.record({ ...shape, 'x-note': wild }, { requiredKeys: [] }));
    const whole = often(fc.integer({ min: 1, max: 600 }));
    const duration = often(fc.constantFrom('500ms', '5s', '1m', 1, 600));
    const size = often(fc.constantFrom('64kB', 70_000));
    const agents = fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b.c'),
        cli: fc.constantFrom('claude', 'scripted'),
        args: often(fc.array(fc.string())),
        env: keys({ A: fc.string() }),
      }),
      { maxLength: 2 },
    );
    const document = fc.record(
      {
        version: often(fc.constant(1)),
        agents: often(agents, fc.record({ replace: agents })),
        default_agent: often(fc.constant('codex')),
        limits: keys({ attempts: whole, starts_per_minute: whole, disk_free: size }),
        recovery: keys({ attempts_max: whole, cooldown_s: whole, wait_for_reset: wild }),
        capacity: keys({ runs_max: whole, per_agent_max: whole }),
        attempt: keys({
          grace: duration,
          deadline: duration,
          interruptions_max: whole,
          output_max: size,
        }),
        owner: keys({ idle_exit: duration, clear_orphans_after: duration }),
        'x-note': wild,
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
    assert.ok(accepted > 50, `only ${accepted} documents were good: they test too little`);
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
