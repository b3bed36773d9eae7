import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { followCommand } from '../definition/gate-command.ts';
import { findGateDefinition } from '../definition/gate-definition.ts';

/** A value that begins with an arrow is a link to what comes behind. */
type Files = Readonly<Record<string, string>>;

const tree = (files: Files): FileTree =>
  new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: text.startsWith('→') ? '120000' : '100755', id: text, bytes: text.length },
    ]),
  );
const textsOf = (files: Files): ReadonlyMap<string, string> =>
  new Map(Object.entries(files).map(([path, text]) => [path, text.replace(/^→/, '')]));

describe('a definition that the base reaches through a link', () => {
  const cases: [why: string, gate: string, base: Files, work: Files, taken: string[]][] = [
    [
      'a script',
      './check.sh',
      { 'check.sh': '→tools/real.sh', 'tools/real.sh': 'exit 7' },
      { 'tools/real.sh': 'exit 0' },
      ['tools/real.sh'],
    ],
    [
      'a script in a folder',
      'sh ci/check.sh',
      { ci: '→build/ci', 'build/ci/check.sh': './inner.sh', 'inner.sh': 'exit 7' },
      { 'build/ci/check.sh': 'true', 'inner.sh': 'exit 0' },
      ['build/ci/check.sh', 'inner.sh'],
    ],
    [
      'over two links',
      './a',
      { a: '→b', b: '→c/d', 'c/d': 'exit 7' },
      { 'c/d': 'exit 0' },
      ['c/d'],
    ],
    ['the link itself', './a', { a: '→b', b: 'exit 7', c: 'exit 0' }, { a: '→c' }, ['a']],
    [
      'a makefile',
      'make',
      { Makefile: '→build/rules', 'build/rules': 'all:\n\t./t.sh\n', 't.sh': 'exit 7' },
      { 'build/rules': 'all:\n', 't.sh': 'exit 0' },
      ['build/rules', 't.sh'],
    ],
    [
      'settings',
      'npx eslint .',
      { '.eslintrc.json': '→conf/lint', 'conf/lint': '{}' },
      { 'conf/lint': '{"ignorePatterns":["*"]}' },
      ['conf/lint'],
    ],
    [
      'what settings load',
      'npx eslint .',
      { 'eslint.config.js': "import './own/a.js'", 'own/a.js': '→../b.js', 'b.js': '1' },
      { 'b.js': '2' },
      ['b.js'],
    ],
    [
      'a folder of tests',
      'pytest',
      { tests: '→suite', 'suite/a.py': '1', 'suite/b.py': '1' },
      { 'suite/a.py': '2' },
      ['suite/a.py'],
    ],
    [
      'a link that the work makes a folder',
      'sh ci/check.sh',
      { ci: '→build', 'build/check.sh': 'exit 7' },
      { 'ci/check.sh': 'exit 0' },
      ['ci/check.sh'],
    ],
  ];
  for (const [why, gate, base, work, taken] of cases)
    test(`is followed to its target: ${why}`, () => {
      const [before, after] = [tree(base), tree({ ...base, ...work })];
      const followed = followCommand(gate.split(' '), '', before, textsOf(base));
      assert.deepEqual(followed.notFollowed, []);
      assert.deepEqual(findGateDefinition(followed, before, after).whole, taken);
    });

  const open: [why: string, target: string][] = [
    ['to another place of the machine', '→/opt/checks/run.sh'],
    ['above the tree', '→../run.sh'],
    ['to itself', '→check.sh'],
  ];
  for (const [why, target] of open)
    test(`leaves a gate unprotected when it leads ${why}`, () => {
      const base = { 'check.sh': target };
      assert.notDeepEqual(
        followCommand(['./check.sh'], '', tree(base), textsOf(base)).notFollowed,
        [],
      );
    });

  test('is wanted first, and then what it leads to', () => {
    const base = tree({ 'check.sh': '→real.sh', 'real.sh': 'exit 7' });
    const first = followCommand(['./check.sh'], '', base, new Map());
    assert.deepEqual([...first.filesToRead], ['check.sh']);
    const next = followCommand(['./check.sh'], '', base, new Map([['check.sh', 'real.sh']]));
    assert.deepEqual([...next.filesToRead], ['real.sh']);
  });
});
