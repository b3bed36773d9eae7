import assert from 'node:assert/strict';
import { dirname, resolve } from 'node:path';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import type { RoleTexts } from '../../test/support/role-fixture.ts';
import { BASE, FOLDERS, loadTexts, writeRoles, search } from '../../test/support/role-fixture.ts';
import { loadRole } from './load-role.ts';
import type { RoleFiles } from './role-path.ts';

describe('a role is refused', () => {
  const cases: [why: string, texts: RoleTexts, message: string][] = [
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
      '/u/roles/b.yaml:2:10: extends: a cycle: a → b → a',
    ],
    [
      'a circle of one',
      { 'p/a.yaml': 'extends: a' },
      '/p/.supervisor/roles/a.yaml:1:10: extends: a cycle: a → a',
    ],
    [
      'an unknown parent',
      { 'p/a.yaml': 'extends: plannr', 'b/planner.yaml': BASE },
      '/p/.supervisor/roles/a.yaml:1:10: extends: no role is called "plannr" (did you mean "planner"?)',
    ],
    [
      'a parent with a bad name',
      { 'p/a.yaml': 'extends: ../x' },
      '/p/.supervisor/roles/a.yaml:1:10: extends: expected a name of up to 64 lowercase letters, digits, _ and - that starts with a letter, found "../x"',
    ],
    [
      'a name that is not that of the file',
      { 'p/a.yaml': `name: b\n${BASE}` },
      '/p/.supervisor/roles/a.yaml:1:7: name: expected "a", the name of the file',
    ],
    [
      'no prompt at all',
      { 'p/a.yaml': 'description: d' },
      '/p/.supervisor/roles/a.yaml:1:1: the role "a" has no system_prompt, and extends no role that has one',
    ],
    [
      'a gate of a name that a parent uses',
      {
        'b/b.yaml': `${BASE}gates: [{name: g, command: x}]`,
        'p/a.yaml': 'extends: b\ngates:\n  - {name: g, command: y}',
      },
      '/p/.supervisor/roles/a.yaml:3:12: gates[1].name: the name "g" is already taken',
    ],
    [
      'a budget beyond the largest',
      { 'p/a.yaml': `${BASE}context: {token_budget: 50001}` },
      '/p/.supervisor/roles/a.yaml:3:25: context.token_budget: expected a whole number from 500 to 50000, found 50001',
    ],
    [
      'a deadline that is no duration',
      { 'p/a.yaml': `${BASE}deadline: soon` },
      '/p/.supervisor/roles/a.yaml:3:11: deadline: expected a duration such as 500ms, 10s, 5m, 12h or 1d, or whole seconds, from 1s to 30d, found "soon"',
    ],
    [
      'a key that had no effect',
      { 'p/a.yaml': `${BASE}continuation_turns: 2` },
      '/p/.supervisor/roles/a.yaml:3:1: unknown key "continuation_turns"',
    ],
    [
      'a fault in a parent',
      { 'p/a.yaml': 'extends: b', 'u/b.yaml': 'cli: []' },
      '/u/roles/b.yaml:1:6: cli: expected a name of up to 64 letters, digits and _ . : - that starts with a letter, found a list of 0',
    ],
  ];
  for (const [why, texts, message] of cases) {
    test(why, () =>
      assert.rejects(loadTexts('a', texts), (error) => {
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
    test(`or accepted, for including ${pattern}: ${good ? 'accepted' : 'refused'}`, async () => {
      const text = `${BASE}context: {include: [${JSON.stringify(pattern)}]}`;
      const outcome = await loadTexts('a', { 'p/a.yaml': text }).then(
        () => true,
        () => false,
      );
      assert.equal(outcome, good);
    });
  }

  const names = ['..', '../x', '../../etc/passwd', '/etc/passwd', 'a/../../b', 'a\0', 'CON', '.a'];
  for (const name of [...names, 'a/b', String.raw`..\x`, 'x'.repeat(4096), 'a\u202e', 'a.b', ''])
    test(`case 46: for the name ${JSON.stringify(name).slice(0, 40)}, in a folder that has it`, () =>
      assert.rejects(
        loadTexts(name, { [`p/${name}.yaml`]: BASE, [`b/${name}.yaml`]: BASE }),
        (error) => isRefusal(error, 'role.not-found'),
      ));

  test('case 46: for any name, without reading a file outside the role folders', () => {
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
          const files = writeRoles(texts);
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

  test('that does not exist, with the nearest name', () =>
    assert.rejects(loadTexts('plannr', { 'b/planner.yaml': BASE }), {
      message: 'no role is called "plannr" (did you mean "planner"?)',
    }));
});
