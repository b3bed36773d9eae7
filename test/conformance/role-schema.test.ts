/** The published schema of role files must agree with the reader that decides. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { isRefusal } from '../../src/base/errors.ts';
import { strategyJsonSchema } from '../../src/settings/file-schemas.ts';
import { parseStrategy } from '../../src/context/strategy.ts';
import { listFolder } from '../../src/host/files/list-folder.ts';
import { packageData } from '../../src/host/files/package-data.ts';
import { readTextFile } from '../../src/host/files/read-text-file.ts';
import { roleJsonSchema } from '../../src/settings/file-schemas.ts';
import { loadRole } from '../../src/roles/load-role.ts';

type Schema = Parameters<typeof z.fromJSONSchema>[0];

const validator = z.fromJSONSchema(roleJsonSchema() as Schema);

/** Its parent has what every role needs. */
async function readerAccepts(document: object): Promise<boolean> {
  const shelf = { level: 'project', folder: '/p' } as const;
  const texts: Record<string, string> = {
    '/p/parent.yaml': 'description: d\nsystem_prompt: s',
    '/p/a.yaml': JSON.stringify({ extends: 'parent', ...document }),
  };
  const files = {
    read: async (path: string) => texts[path],
    list: async () => ['a.yaml', 'parent.yaml'],
  };
  try {
    await loadRole('a', [shelf], files);
    return true;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
}

describe('the schema for editors and the reader agree', () => {
  const cases: [why: string, document: object, good: boolean][] = [
    ['nothing', {}, true],
    [
      'every key',
      {
        name: 'a',
        description: 'x',
        cli: 'codex',
        flags: ['-a'],
        template: 'implement.j2',
        answer: 'plan',
        system_prompt: 's',
        system_prompt_additions: 't',
        context: {
          strategy: 'x',
          include: ['$TARGET'],
          always_include: ['a/**'],
          exclude: ['$IMPLEMENTATION_INTERNALS'],
          git_diff: true,
          blind: false,
          token_budget: 500,
        },
        allowed_tools: ['r'],
        gates: [{ name: 'g', command: 'c', on_fail: 'warn' }],
        strengths: ['s'],
        deadline: '2h',
        config: { a: [1, { b: null }] },
      },
      true,
    ],
    ['notes at every level', { 'x-a': 1, context: { 'x-b': [] } }, true],
    ['nulls', { cli: null, context: null, flags: null }, true],
    ['a list that replaces', { flags: { replace: ['-b'] } }, true],
    ['an unknown key', { clii: 'x' }, false],
    ['an unknown token', { context: { include: ['$HOME'] } }, false],
    ['a way out', { context: { include: ['a/../..'] } }, false],
    ['a gate without a command', { gates: [{ name: 'g' }] }, false],
    ['a budget that is too large', { context: { token_budget: 50_001 } }, false],
    ['an unknown answer', { answer: 'poem' }, false],
    ['a bad parent', { extends: 'A B' }, false],
  ];
  for (const [why, document, good] of cases) {
    test(`${good ? 'good' : 'bad'}: ${why}`, async () => {
      const schemaAccepts = validator.safeParse(document).success;
      assert.deepEqual([schemaAccepts, await readerAccepts(document)], [good, good]);
    });
  }
});

test('every strategy of the package is good for both, and its roles name no other', async () => {
  const schema = z.fromJSONSchema(strategyJsonSchema() as Schema);
  assert.equal(
    schema.safeParse({ description: 'd', algorithm: [{ plan: { part: 'p' } }] }).success,
    true,
  );
  assert.equal(schema.safeParse({ description: 'd', steps: [] }).success, false);
  const folder = `${packageData}context_strategies`;
  const names = (await listFolder(folder)).map((file) => file.replace(/\.yaml$/, ''));
  assert.deepEqual(names, [
    'implementer_targeted',
    'investigator_wide',
    'planner_docset',
    'reviewer_diff',
    'security_audit',
  ]);
  for (const name of names) {
    const text = (await readTextFile(`${folder}/${name}.yaml`, 100_000)) ?? '';
    const { steps, priorityOrder, keep } = parseStrategy(name, `${name}.yaml`, text);
    const parts = new Set([
      ...steps.map(({ part }) => part),
      'system_prompt',
      'task',
      'always',
      'related',
    ]);
    assert.deepEqual(
      [...priorityOrder, ...keep].filter((part) => !parts.has(part)),
      [],
      name,
    );
  }
});
