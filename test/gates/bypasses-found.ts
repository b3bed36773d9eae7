/**
 * Bypasses that a hostile review found: runners without an entry, wrappers, settings that load
 * files.
 */
import type { Row } from './bypass.ts';

const RED = '#!/bin/sh\nexit 7\n';
const GREEN = '#!/bin/sh\nexit 0\n';
const pkg = (scripts: object, more: object = {}): string =>
  JSON.stringify({ name: 'app', scripts, ...more });

const unknownRunner = (gate: string, file: string): Row => [
  'a runner whose files are in no list',
  gate,
  { [file]: '1' },
  { [file]: '2' },
  'not-protected',
];
const loads = (gate: string, setting: string, text: string, file: string): Row => [
  `what ${setting} loads`,
  gate,
  { [setting]: text, [file]: '1' },
  { [file]: '2' },
];

export const FOUND: readonly Row[] = [
  unknownRunner('ant test', 'build.xml'),
  unknownRunner('lein test', 'project.clj'),
  unknownRunner('clojure -M:test', 'deps.edn'),
  unknownRunner('zig build test', 'build.zig'),
  unknownRunner('rebar3 eunit', 'rebar.config'),
  unknownRunner('dune test', 'dune'),
  unknownRunner('cabal test', 'a.cabal'),
  unknownRunner('stack test', 'stack.yaml'),
  unknownRunner('nimble test', 'a.nimble'),
  unknownRunner('msbuild a.sln', 'a.sln'),
  ['settings of jasmine', 'npx jasmine', {}, { 'spec/support/jasmine.json': '{}' }],
  ['settings of testcafe', 'npx testcafe chrome', {}, { '.testcaferc.json': '{}' }],
  ['settings of knip', 'npx knip', {}, { 'knip.json': '{}' }],
  ['settings of tflint', 'tflint', {}, { '.tflint.hcl': '1' }],
  ['settings of sqlfluff', 'sqlfluff lint', {}, { '.sqlfluff': '1' }],
  ['a solution of .NET', 'dotnet test', { 'a.sln': '1' }, { 'a.sln': '2' }],
  [
    'a script of pipenv',
    'pipenv run check',
    { Pipfile: '[scripts]\ncheck = "bash go/run.sh"\n', 'go/run.sh': RED },
    { 'go/run.sh': GREEN },
  ],
  [
    'a changed script of pipenv',
    'pipenv run check',
    { Pipfile: '[scripts]\ncheck = "pytest"\n' },
    { Pipfile: '[scripts]\ncheck = "true"\n' },
  ],
  [
    'a script of pdm',
    'pdm run check',
    { 'pyproject.toml': '[tool.pdm.scripts]\ncheck = {cmd = "./go/run.sh"}\n', 'go/run.sh': RED },
    { 'go/run.sh': GREEN },
  ],
  [
    'a script of hatch',
    'hatch run check',
    {
      'pyproject.toml': '[tool.hatch.envs.default.scripts]\ncheck = ["./go/run.sh"]\n',
      'go/run.sh': RED,
    },
    { 'go/run.sh': GREEN },
  ],
  [
    'a task of mise',
    'mise run check',
    { 'mise.toml': '[tasks.check]\nrun = "sh go/run.sh"\n', 'go/run.sh': RED },
    { 'go/run.sh': GREEN },
  ],
  [
    'a task of mise that is a file',
    'mise run check',
    { 'mise-tasks/check': RED },
    { 'mise-tasks/check': GREEN },
  ],
  ['a script that no file declares', 'pdm run strange', {}, { strange: GREEN }, 'not-protected'],
  [
    'an alias of cargo',
    'cargo verify',
    { '.cargo/config.toml': '[alias]\nverify = "run -p checker --"\n' },
    { 'checker/src/main.rs': '1' },
    'not-protected',
  ],
  [
    'an alias of cargo as a list',
    'cargo verify',
    { '.cargo/config.toml': '[alias]\nverify = ["run", "-p", "checker"]\n' },
    { 'checker/src/main.rs': '1' },
    'not-protected',
  ],
  [
    'a block of lines in a Taskfile',
    'task check',
    {
      'Taskfile.yml':
        'version: "3"\ntasks:\n  check:\n    cmds:\n      - |\n        set -e\n        ./go/run.sh\n',
      'go/run.sh': RED,
    },
    { 'go/run.sh': GREEN },
  ],
  loads('npx jest', 'jest.config.js', "module.exports = require('./base/jest.js')", 'base/jest.js'),
  loads('npx jest', 'jest.config.js', "module.exports = { preset: './kit' }", 'kit/jest-preset.js'),
  loads(
    'npx jest',
    'package.json',
    pkg({}, { jest: { setupFiles: ['<rootDir>/boot/env.js'] } }),
    'boot/env.js',
  ),
  loads('npx eslint .', 'eslint.config.js', "import rules from './own/rules.js';", 'own/rules.js'),
  loads('npx tsc', 'tsconfig.json', '{"extends": "./conf/strict.json"}', 'conf/strict.json'),
  loads(
    'npx tsc -b',
    'tsconfig.json',
    '{"references": [{"path": "./libs/a/conf.json"}]}',
    'libs/a/conf.json',
  ),
  loads('npx vitest run', 'vitest.config.ts', "import { x } from './vt/x';", 'vt/x.ts'),
  loads(
    'npx vitest run',
    'vite.config.ts',
    "export default { test: { globalSetup: './src/boot.ts' } }",
    'src/boot.ts',
  ),
  loads('npx jest', 'babel.config.js', "module.exports = { plugins: ['./bp/a.js'] }", 'bp/a.js'),
  loads('pytest', 'conftest.py', 'pytest_plugins = ["kit.plug"]', 'kit/plug.py'),
  loads('pytest', 'pytest.ini', '[pytest]\naddopts = -p kit.plug\n', 'kit/plug.py'),
  loads('vendor/bin/phpunit', 'phpunit.xml', '<phpunit bootstrap="b/boot.php">', 'b/boot.php'),
  loads('npx mocha', '.mocharc.yml', 'require:\n  - ./m/hook.js\n', 'm/hook.js'),
  loads('npx mocha', '.mocharc.json', '{"require": "m/hook"}', 'm/hook.js'),
  [
    'a helper of tests in Go',
    'go test ./...',
    { 'testutil/a.go': '1' },
    { 'testutil/a.go': '2' },
    'tests',
  ],
  [
    'a helper of tests',
    'npx jest',
    { 'src/test-utils/a.ts': '1' },
    { 'src/test-utils/a.ts': '2' },
    'tests',
  ],
  ['data of tests', 'pytest', { 'fixtures/a.json': '1' }, { 'fixtures/a.json': '2' }, 'tests'],
  [
    'a helper beside its tests',
    'pytest',
    { 'test_helpers.py': '1' },
    { 'test_helpers.py': '2' },
    'tests',
  ],
  ['a unit test of C++', 'make', { 'a_unittest.cc': '1' }, { 'a_unittest.cc': null }, 'tests'],
  [
    'a helper that takes the place of another',
    'npx jest',
    { 'fixtures/data.ts': '1' },
    { 'fixtures/data.js': '2' },
  ],
];
