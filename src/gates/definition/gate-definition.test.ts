import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { followCommand } from './gate-command.ts';
import type { GateDefinition } from './gate-definition.ts';
import { findGateDefinition, shortPathList } from './gate-definition.ts';
import { restoreManifest } from './manifest-parts.ts';

/** Each path with a word for its content. */
function tree(files: Readonly<Record<string, string>>): FileTree {
  return new Map(
    Object.entries(files).map(([path, id]) => [path, { mode: '100644', id, bytes: 1 }]),
  );
}

function define(
  command: readonly string[],
  inside: string,
  before: FileTree,
  after: FileTree,
  texts: ReadonlyMap<string, string> = new Map(),
): GateDefinition {
  return findGateDefinition(followCommand(command, inside, before, texts), before, after);
}

const BASE = {
  'package.json': 'a',
  'README.md': 'a',
  'check.sh': 'a',
  'tools/check.py': 'a',
  Makefile: 'a',
  'ci.mk': 'a',
  'jest.config.js': 'a',
  'pyproject.toml': 'a',
  'test/a.test.js': 'a',
  'web/package.json': 'a',
};
const CHANGED = Object.fromEntries(Object.keys(BASE).map((path) => [path, 'b']));
const ALWAYS = {
  whole: ['jest.config.js'],
  parts: ['package.json', 'pyproject.toml', 'web/package.json'],
  tests: ['test/a.test.js'],
  quiet: [],
};

describe('what decides how a command judges, of work that changed everything', () => {
  const cases: [why: string, command: string[], whole: string[], inside?: string][] = [
    ['settings of checkers and scripts of packages, always', ['npm', 'test'], []],
    ['the program itself', ['./check.sh'], ['check.sh']],
    ['the program itself, seen from where the user stood', ['../check.sh'], ['check.sh'], 'web'],
    ['the script of a shell', ['bash', '-e', 'check.sh', 'README.md'], ['check.sh']],
    ['the script of a language', ['python3.12', 'tools/check.py'], ['tools/check.py']],
    [
      'a script whose own flag is --check',
      ['node', 'tools/check.py', '--check'],
      ['tools/check.py'],
    ],
    [
      'what is loaded before a check',
      ['node', '-r', './check.sh', '--check', 'a.js'],
      ['check.sh'],
    ],
    ['not what a compiler only checks', ['python3', '-m', 'py_compile', 'tools/check.py'], []],
    ['not what only its syntax is checked of', ['node', '--check', 'tools/check.py'], []],
    ['the test that is named, as a test', ['node', '--test', 'test/a.test.js'], []],
    ['the file of tasks', ['make', 'test'], ['Makefile']],
    ['the file of tasks above', ['make', '-C', '..', 'test'], ['Makefile'], 'web'],
    ['the file of tasks that is named', ['make', '-f', 'ci.mk'], ['Makefile', 'ci.mk']],
    ['what a wrapper starts', ['env', 'A=1', 'timeout', '5m', './check.sh'], ['check.sh']],
    [
      'what a line for a shell starts',
      ['sh', '-c', 'cd . && A=1 ./check.sh; make x'],
      ['Makefile', 'check.sh'],
    ],
    ['not what is only looked at', ['grep', '-q', 'done', 'README.md'], []],
    ['not what is only asked about', ['test', '-f', 'README.md'], []],
    ['nothing of a wrapper alone', ['env', 'A=1'], []],
    ['nothing outside of the tree', ['/usr/bin/true', '../../x'], []],
  ];
  for (const [why, command, whole, inside = ''] of cases)
    test(why, () => {
      assert.deepEqual(define(command, inside, tree(BASE), tree(CHANGED)), {
        ...ALWAYS,
        whole: [...ALWAYS.whole, ...whole].toSorted(),
      });
    });

  test('nothing, where the work changed none of it', () => {
    assert.deepEqual(define(['npm', 'test'], '', tree(BASE), tree({ ...BASE, 'a.js': 'b' })), {
      whole: [],
      parts: [],
      tests: [],
      quiet: [],
    });
  });
});

describe('what a task starts decides as well', () => {
  const texts = new Map([
    [
      'package.json',
      JSON.stringify({
        scripts: {
          test: 'npm run unit -- --all',
          unit: 'NODE_ENV=test node tools/run.js && sh check.sh',
          start: 'node server.js',
          loop: 'npm run loop',
        },
      }),
    ],
    [
      'Makefile',
      '.PHONY: test\ntest: build \\\n  lint\n\t@./check.sh\nbuild:\n\tpython3 tools/run.js\nrun:\n\tnode server.js\nX := 1\n',
    ],
  ]);
  const files = { 'tools/run.js': 'a', 'check.sh': 'a', 'server.js': 'a', 'web/a.js': 'a' };
  const changed = Object.fromEntries(Object.keys(files).map((path) => [path, 'b']));
  const cases: [command: string[], whole: string[], inside?: string][] = [
    [
      ['npm', 'test'],
      ['check.sh', 'tools/run.js'],
    ],
    [
      ['npm', '--silent', 'run', 'unit'],
      ['check.sh', 'tools/run.js'],
    ],
    [['yarn', 'start'], ['server.js']],
    [['npm', 'test'], ['check.sh', 'tools/run.js'], 'web'],
    [['pnpm', 'run', 'loop'], []],
    [['npm', 'run', 'none'], []],
    [
      ['make', 'test'],
      ['check.sh', 'tools/run.js'],
    ],
    [['make'], ['check.sh', 'tools/run.js']],
    [['make', '-j', 'run'], ['server.js']],
    [
      ['sh', '-c', 'make run || npm test'],
      ['check.sh', 'server.js', 'tools/run.js'],
    ],
  ];
  for (const [command, whole, inside = ''] of cases)
    test(`${command.join(' ')}${inside === '' ? '' : ` in ${inside}`}`, () => {
      const tasks = { 'package.json': 'a', Makefile: 'a' };
      const [before, after] = [tree({ ...files, ...tasks }), tree({ ...changed, ...tasks })];
      const found = define(command, inside, before, after, texts);
      assert.deepEqual(found, { whole, parts: [], tests: [], quiet: [] });
    });
});

test('what is installed decides, and has one name', () => {
  const fake = { 'node_modules/.bin/jest': 'b', 'node_modules/a/b.js': 'b', 'a.js': 'b' };
  const { whole } = define(['npm', 'test'], '', tree({}), tree({ ...fake, '.venv': 'b' }));
  assert.deepEqual(shortPathList([...whole, 'check.sh']), ['.venv', 'check.sh', 'node_modules/']);
});

describe('of what the work brings for the first time', () => {
  const cases: [why: string, command: string[], path: string, decides: 'whole' | 'parts' | 'no'][] =
    [
      ['a program that is the check would judge itself', ['./check.sh'], 'check.sh', 'whole'],
      ['so would the script of a shell', ['sh', 'check.sh'], 'check.sh', 'whole'],
      ['so would a file of tasks', ['make', 'test'], 'GNUmakefile', 'whole'],
      ['so would the scripts of a package', ['npm', 'test'], 'package.json', 'parts'],
      ['a program in a language is the work', ['python3', 'hello.py'], 'hello.py', 'no'],
      ['a package of its own is the work', ['npm', 'test'], 'new/package.json', 'no'],
      ['so would settings of a checker', ['npx', 'jest'], 'jest.config.js', 'whole'],
    ];
  for (const [why, command, path, decides] of cases)
    test(why, () => {
      const { whole, parts } = define(command, '', tree({}), tree({ [path]: 'b' }));
      assert.deepEqual(
        { whole, parts },
        {
          whole: decides === 'whole' ? [path] : [],
          parts: decides === 'parts' ? [path] : [],
        },
      );
    });
});

describe('a new manifest', () => {
  const cases: [path: string, beside: string, decides: boolean][] = [
    ['pyproject.toml', 'tests/test_a.py', true],
    ['app/pyproject.toml', 'app/a.py', true],
    ['go.mod', 'a.go', true],
    ['web/package.json', 'web/a.js', true],
    ['web/Cargo.toml', 'src/main.rs', false],
    ['Cargo.toml', 'README.md', false],
    ['go.mod', 'README.md', false],
  ];
  for (const [path, beside, decides] of cases)
    test(`${path} ${decides ? 'decides' : 'is the work'} where the base has ${beside}`, () => {
      const before = tree({ [beside]: 'a' });
      const { whole } = define(['true'], '', before, tree({ [beside]: 'a', [path]: 'b' }));
      assert.deepEqual(whole, decides ? [path] : []);
    });
});

describe('the part of a file that decides', () => {
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const cases: [
    why: string,
    path: string,
    was: string | undefined,
    is: string,
    repaired: string | undefined,
  ][] = [
    [
      'scripts of a package are as they were, the rest is as it is',
      'package.json',
      json({ name: 'a', scripts: { test: 'node --test' } }),
      json({ name: 'a', version: '2', scripts: { test: 'true' }, jest: {} }),
      json({ name: 'a', version: '2', scripts: { test: 'node --test' } }),
    ],
    [
      'a package with the same scripts is left alone',
      'web/package.json',
      json({ scripts: { test: 'x' } }),
      json({ scripts: { test: 'x' }, dependencies: { a: '1' } }),
      undefined,
    ],
    [
      'a new package has no scripts',
      'package.json',
      undefined,
      json({ name: 'b', scripts: { test: 'true' } }),
      json({ name: 'b' }),
    ],
    ['what is no package is as it was', 'package.json', json({ a: 1 }), '{', json({ a: 1 })],
    [
      'settings of Python tools are as they were',
      'pyproject.toml',
      '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "--collect-only"\n',
      '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-q"\n',
    ],
    ...[
      'tool.pytest.ini_options.addopts = "--co"\n[project]\nname = "a"\n',
      '[project]\nname = "a"\n["\\u0074ool"."pytest".ini_options]\naddopts = "--co"\n',
      '[project]\nname = "a"\n[ tool . pytest.ini_options ]\naddopts = "--co"\n',
      '[project]\nname = "a"\nentry-points.pytest11.x = "x"\n',
      '[project]\nname = "a"\n"entry\\u002dpoints".pytest11.x = "x"\n',
    ].map((is): [string, string, string, string, string] => [
      `settings of Python tools in another spelling: ${JSON.stringify(is)}`,
      'pyproject.toml',
      '[project]\nname = "a"\n',
      is,
      '[project]\nname = "a"\n',
    ]),
    [
      'a setting that is joined to a comment is as it was',
      'pyproject.toml',
      '[tool.pytest.ini_options]\n# all\naddopts = "-q"\n',
      '[tool.pytest.ini_options]\n# all addopts = "-q"\n',
      '[tool.pytest.ini_options]\n# all\naddopts = "-q"\n',
    ],
    [
      'a section behind a line end of JavaScript alone is none',
      'pyproject.toml',
      '[tool.pytest.ini_options]\n# all\n',
      '[tool.pytest.ini_options]\n# all\u2028[project]\naddopts = "--co"\n',
      '[tool.pytest.ini_options]\n# all\n',
    ],
    [
      'a Python project with the same tools is left alone',
      'pyproject.toml',
      '[project]\nname = "a"\n[tool.ruff]\n',
      '[project]\nname = "b"\n\n[tool.ruff]\n',
      undefined,
    ],
  ];
  for (const [why, path, was, is, repaired] of cases)
    test(why, () => assert.equal(restoreManifest(path, was, is), repaired));
});
