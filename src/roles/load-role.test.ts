import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BASE, loadTexts, writeRoles, search } from '../../test/support/role-fixture.ts';
import { explainRole } from './explain-role.ts';
import { listRoles } from './list-roles.ts';

describe('a role is', () => {
  test('read from the nearest folder', async () => {
    const texts = {
      'b/a.yaml': `${BASE}cli: claude`,
      'u/a.yaml': `${BASE}cli: codex`,
      'p/a.yaml': `${BASE}cli: gemini`,
    };
    assert.equal((await loadTexts('a', texts)).role.cli, 'gemini');
  });

  test('merged with the roles that it extends, from any folder: scalars, lists, maps, prompts', async () => {
    const { role, layers } = await loadTexts('c', {
      'b/a.yaml': `${BASE}cli: claude\nflags: [-a]\ncontext: {include: [A], token_budget: 1000}\nconfig: {x: {y: 1}}`,
      'u/b.yaml':
        'extends: a\nsystem_prompt_additions: be quick\ncontext: {include: [B]}\nstrengths: [s]',
      'p/c.yaml':
        'extends: b\ndescription: e\nsystem_prompt: be kind\nsystem_prompt_additions: be brief\nflags: [-c]\ncontext: {include: [C, A]}\nconfig: {x: {z: 2}}',
    });
    assert.deepEqual(
      layers.map(({ placed }) => `${placed.source.level} ${placed.name}`),
      ['package a', 'user b', 'project c'],
    );
    assert.deepEqual(role, {
      name: 'c',
      description: 'e',
      cli: 'claude',
      flags: ['-a', '-c'],
      template: '_base',
      answer: 'generic',
      systemPrompt: 'be good\n\nbe quick\n\nbe kind\n\nbe brief',
      context: {
        strategy: null,
        include: ['A', 'B', 'C'],
        alwaysInclude: [],
        exclude: [],
        gitDiff: false,
        blind: false,
        tokenBudget: 1000,
      },
      allowedTools: [],
      gates: [],
      strengths: ['s'],
      deadlineMs: null,
      config: { x: { y: 1, z: 2 } },
    });
  });

  test('merged with the role that it overrides if it extends its own name', async () => {
    const { role } = await loadTexts('a', {
      'b/a.yaml': BASE,
      'u/a.yaml': 'extends: a\nflags: [-u]',
      'p/a.yaml': 'extends: a\nflags: [-p]',
    });
    assert.deepEqual([role.systemPrompt, role.flags], ['be good', ['-u', '-p']]);
  });

  test('blind if it excludes the internals', async () => {
    const exclude = 'context: {exclude: [$IMPLEMENTATION_INTERNALS]}';
    assert.equal((await loadTexts('a', { 'p/a.yaml': BASE + exclude })).role.context.blind, true);
  });

  test('able to replace the prompt and the lists of its parent, and to contain notes', async () => {
    const { role } = await loadTexts('b', {
      'b/a.yaml': `${BASE}flags: [-a]`,
      'p/b.yaml':
        'extends: a\nsystem_prompt: null\nsystem_prompt_additions: alone\nflags: {replace: [-b]}\nx-owner: me\ncontext: {x-why: 1}',
    });
    assert.deepEqual([role.systemPrompt, role.flags], ['alone', ['-b']]);
  });
});

test('each field has its origin, and a prompt has all of its files', async () => {
  const loaded = await loadTexts('b', {
    'b/a.yaml': `${BASE}flags: [-a]`,
    'p/b.yaml': 'extends: a\nsystem_prompt_additions: more\nflags: [-b]',
  });
  assert.deepEqual(
    explainRole(loaded).map(({ key, origins }) => [key, ...origins]),
    [
      ['description', '/b/base_roles/a.yaml:1:14'],
      ['system_prompt', '/b/base_roles/a.yaml:2:16', '/p/.supervisor/roles/b.yaml:2:26'],
      ['flags[0]', '/b/base_roles/a.yaml:3:9'],
      ['flags[1]', '/p/.supervisor/roles/b.yaml:3:9'],
    ],
  );
});

test('a list shows each name once, and an invalid file hides no other', async () => {
  const files = writeRoles({
    'b/a.yaml': BASE,
    'p/a.yaml': 'extends: a\ncli: codex',
    'p/b.yaml': 'x',
    'p/B C.yaml': BASE,
    'p/notes.md': '',
  });
  const { roles, problems } = await listRoles(search, files);
  assert.deepEqual(
    roles.map(({ name, level, description, cli }) => [name, level, description, cli]),
    [
      ['a', 'project', 'd', 'codex'],
      ['b', 'project', null, null],
    ],
  );
  assert.deepEqual(problems, [
    `/p/.supervisor/roles/B C.yaml: the file of a role needs a name such as "api_dev.yaml": lowercase letters, digits, _ and -`,
    '/p/.supervisor/roles/b.yaml:1:1: expected keys with values, found "x"',
  ]);
});
