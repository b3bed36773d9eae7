import assert from 'node:assert/strict';
import { dirname, resolve } from 'node:path';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import { explainRole } from './explain-role.ts';
import { listRoles } from './list-roles.ts';
import { loadRole } from './load-role.ts';
import type { LoadedRole } from './load-role.ts';
import { shelves } from './shelf.ts';
import type { RoleFiles } from './shelf.ts';

type Texts = Readonly<Record<string, string>>;

/** `p/`, `u/` and `b/` stand for the project's, the user's and the package's folder. */
const FOLDERS = { p: '/p/.supervisor/roles', u: '/u/roles', b: '/b/base_roles' } as const;
const search = shelves({ home: '/u', project: '/p', packageData: '/b' });

function onDisk(texts: Texts): RoleFiles {
  const paths = new Map(
    Object.entries(texts).map(([short, text]) => {
      const folder = FOLDERS[short.slice(0, 1) as keyof typeof FOLDERS];
      return [`${folder}${short.slice(1)}`, text];
    }),
  );
  return {
    read: async (path) => paths.get(path),
    list: async (folder) =>
      [...paths.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1)),
  };
}

const BASE = 'description: d\nsystem_prompt: be good\n';

function load(name: string, texts: Texts): Promise<LoadedRole> {
  return loadRole(name, search, onDisk(texts));
}

describe('a role is', () => {
  test('read from the nearest folder', async () => {
    const texts = {
      'b/a.yaml': `${BASE}cli: claude`,
      'u/a.yaml': `${BASE}cli: codex`,
      'p/a.yaml': `${BASE}cli: gemini`,
    };
    assert.equal((await load('a', texts)).role.cli, 'gemini');
  });

  test('laid over those it extends, from whichever folder: scalars, lists, maps, prompts', async () => {
    const { role, layers } = await load('c', {
      'b/a.yaml': `${BASE}cli: claude\nflags: [-a]\ncontext: {include: [A], token_budget: 1000}\nconfig: {x: {y: 1}}`,
      'u/b.yaml':
        'extends: a\nsystem_prompt_additions: be quick\ncontext: {include: [B]}\nstrengths: [s]',
      'p/c.yaml':
        'extends: b\ndescription: e\nsystem_prompt: be kind\nsystem_prompt_additions: be brief\nflags: [-c]\ncontext: {include: [C, A]}\nconfig: {x: {z: 2}}',
    });
    assert.deepEqual(
      layers.map(({ placed }) => `${placed.shelf.level} ${placed.name}`),
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
      continuationTurns: 0,
      config: { x: { y: 1, z: 2 } },
    });
  });

  test('laid over the one that it hides when it extends its own name', async () => {
    const { role } = await load('a', {
      'b/a.yaml': BASE,
      'u/a.yaml': 'extends: a\nflags: [-u]',
      'p/a.yaml': 'extends: a\nflags: [-p]',
    });
    assert.deepEqual([role.systemPrompt, role.flags], ['be good', ['-u', '-p']]);
  });

  test('blind when it must not see the inside', async () => {
    const exclude = 'context: {exclude: [$IMPLEMENTATION_INTERNALS]}';
    assert.equal((await load('a', { 'p/a.yaml': BASE + exclude })).role.context.blind, true);
  });

  test('able to begin its prompt and its lists anew, and to carry notes', async () => {
    const { role } = await load('b', {
      'b/a.yaml': `${BASE}flags: [-a]`,
      'p/b.yaml':
        'extends: a\nsystem_prompt: null\nsystem_prompt_additions: alone\nflags: {replace: [-b]}\nx-owner: me\ncontext: {x-why: 1}',
    });
    assert.deepEqual([role.systemPrompt, role.flags], ['alone', ['-b']]);
  });
});

describe('a role is refused', () => {
  const cases: [why: string, texts: Texts, message: string][] = [
    [
      'an unknown key',
      { 'p/a.yaml': `${BASE}clii: claude` },
      '/p/.supervisor/roles/a.yaml:3:1: unknown key "clii" (did you mean "cli"?)',
    ],
    [
      'an unknown key inside',
      { 'p/a.yaml': `${BASE}context:\n  includes: []` },
      '/p/.supervisor/roles/a.yaml:4:3: unknown key "includes" in context (did you mean "include"?)',
    ],
    [
      'a circle',
      { 'p/a.yaml': 'extends: b', 'u/b.yaml': '\nextends: a' },
      '/u/roles/b.yaml:2:10: extends: a circle: a → b → a',
    ],
    [
      'a circle of one',
      { 'p/a.yaml': 'extends: a' },
      '/p/.supervisor/roles/a.yaml:1:10: extends: a circle: a → a',
    ],
    [
      'an unknown parent',
      { 'p/a.yaml': 'extends: plannr', 'b/planner.yaml': BASE },
      '/p/.supervisor/roles/a.yaml:1:10: extends: no role is called "plannr" (did you mean "planner"?)',
    ],
    [
      'a parent with a bad name',
      { 'p/a.yaml': 'extends: ../x' },
      '/p/.supervisor/roles/a.yaml:1:10: extends: expected a name of up to 64 small letters, digits, _ and - that begins with a letter, found "../x"',
    ],
    [
      'a name that is not that of the file',
      { 'p/a.yaml': `name: b\n${BASE}` },
      '/p/.supervisor/roles/a.yaml:1:7: name: expected "a", as the file is called',
    ],
    [
      'no prompt at all',
      { 'p/a.yaml': 'description: d' },
      '/p/.supervisor/roles/a.yaml:1:1: the role "a" has no system_prompt, nor has one it extends',
    ],
    [
      'a gate of a name that a parent uses',
      {
        'b/b.yaml': `${BASE}gates: [{name: g, command: x}]`,
        'p/a.yaml': 'extends: b\ngates:\n  - {name: g, command: y}',
      },
      '/p/.supervisor/roles/a.yaml:3:12: gates[1].name: there is a gate "g" already',
    ],
    [
      'a budget beyond the largest',
      { 'p/a.yaml': `${BASE}context: {token_budget: 50001}` },
      '/p/.supervisor/roles/a.yaml:3:25: context.token_budget: expected a whole number from 500 to 50000, found 50001',
    ],
    [
      'an implementation that goes on',
      { 'p/a.yaml': `${BASE}answer: implementation\ncontinuation_turns: 2` },
      '/p/.supervisor/roles/a.yaml:4:21: continuation_turns: expected 0: an implementation is always made in a fresh conversation, found 2',
    ],
    [
      'a fault in a parent',
      { 'p/a.yaml': 'extends: b', 'u/b.yaml': 'cli: []' },
      '/u/roles/b.yaml:1:6: cli: expected a name of up to 64 letters, digits and _ . : - that begins with a letter, found a list of 0',
    ],
  ];
  for (const [why, texts, message] of cases) {
    test(why, () =>
      assert.rejects(load('a', texts), (error) => {
        assert.ok(isRefusal(error, 'role.invalid'));
        assert.equal(error.message, message);
        return true;
      }),
    );
  }

  const patterns: [string, boolean][] = [
    ['src/**/*.ts', true],
    ['a b.txt', true],
    ['..a/b..', true],
    ['$TARGET_IMPORTS', true],
    ['git diff --cached', true],
    ['git diff --output=x', false],
    ['$HOME', false],
    ['$IMPLEMENTATION_INTERNALS', false],
    ['/etc/passwd', false],
    ['../x', false],
    ['a/../../x', false],
    ['a/..', false],
    [String.raw`a\b`, false],
  ];
  for (const [pattern, good] of patterns) {
    test(`or not, for including ${pattern}: ${good ? 'good' : 'bad'}`, async () => {
      const text = `${BASE}context: {include: [${JSON.stringify(pattern)}]}`;
      const outcome = await load('a', { 'p/a.yaml': text }).then(
        () => true,
        () => false,
      );
      assert.equal(outcome, good);
    });
  }

  const names = ['..', '../x', '../../etc/passwd', '/etc/passwd', 'a/../../b', 'a\0', 'CON', '.a'];
  for (const name of [...names, 'a/b', String.raw`..\x`, 'x'.repeat(4096), 'a\u202e', 'a.b', ''])
    test(`case 46: for the name ${JSON.stringify(name).slice(0, 40)}, on a shelf that has it`, () =>
      assert.rejects(load(name, { [`p/${name}.yaml`]: BASE, [`b/${name}.yaml`]: BASE }), (error) =>
        isRefusal(error, 'role.not-found'),
      ));

  test('case 46: whatever name is asked for, no file outside of the shelves is read', () => {
    const word = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '\0',
      'a',
      'b',
      'etc',
      '%2e',
      '~',
      'CON',
      '\u202e',
    );
    const name = fc.oneof(
      fc.array(word, { maxLength: 9 }).map((parts) => parts.join('')),
      fc.string(),
    );
    return fc.assert(
      fc.asyncProperty(name, async (wanted) => {
        const asked: string[] = [];
        const extending = { 'p/a.yaml': `${BASE}extends: ${JSON.stringify(wanted)}` };
        for (const [first, texts] of [
          [wanted, {}],
          ['a', extending],
        ] as const) {
          const files = onDisk(texts);
          const read: RoleFiles['read'] = (path, bytesMax) => {
            asked.push(path);
            return files.read(path, bytesMax);
          };
          await loadRole(first, search, { ...files, read }).catch((error: unknown) => {
            if (!isRefusal(error)) throw error;
          });
        }
        const isOnShelf = (path: string): boolean => dirname(resolve(path)) === FOLDERS.p;
        assert.deepEqual(
          asked.filter((path) => !isOnShelf(path)),
          [],
        );
      }),
    );
  });

  test('that is not there, with the nearest name', () =>
    assert.rejects(load('plannr', { 'b/planner.yaml': BASE }), {
      message: 'no role is called "plannr" (did you mean "planner"?)',
    }));
});

test('each field says where it comes from, and a prompt names every file of it', async () => {
  const loaded = await load('b', {
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

test('a list shows each name once, and one faulty file hides no other', async () => {
  const files = onDisk({
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
    `/p/.supervisor/roles/B C.yaml: a role's file has a name such as "api_dev.yaml": small letters, digits, _ and -`,
    '/p/.supervisor/roles/b.yaml:1:1: expected keys with values, found "x"',
  ]);
});
