/**
 * Bypasses through files that no command line names: shadows, suppressions, files that settings
 * load.
 */
import type { Row } from './bypass.ts';

const RED = '#!/bin/sh\nexit 7\n';
const GREEN = '#!/bin/sh\nexit 0\n';
const pkg = (scripts: object, more: object = {}): string =>
  JSON.stringify({ name: 'app', scripts, ...more });
const FAILING = "import { test } from 'node:test';\ntest('a', () => { throw new Error('no'); });\n";

export const VARIANTS: readonly Row[] = [
  [
    'a file of variables under another name',
    'npx dotenv -e config/run.vars -- node --test',
    { 'config/run.vars': 'A=1\n', 'a.test.mjs': FAILING },
    { 'config/run.vars': 'NODE_OPTIONS=--import=./x.mjs\n', 'x.mjs': '1' },
  ],
  ['a list of suppressed errors', 'npx eslint .', {}, { 'eslint-suppressions.json': '{}' }],
  [
    'local rules',
    'npx eslint .',
    { 'eslint-local-rules.js': '1' },
    { 'eslint-local-rules.js': '2' },
  ],
  [
    'the main file of a package of the tree',
    'npm test',
    {
      'package.json': pkg({ test: 'node --test' }, { workspaces: ['packages/*'] }),
      'packages/kit/package.json': '{"name":"kit","main":"./a.js"}',
      'packages/kit/a.js': '1',
    },
    { 'packages/kit/package.json': '{"name":"kit","main":"./b.js"}', 'packages/kit/b.js': '1' },
  ],
  [
    'a folder that NODE_PATH names',
    'npm test',
    { 'package.json': pkg({ test: 'NODE_PATH=./mods node --test' }) },
    { 'mods/chai/index.js': '1' },
    'not-protected',
  ],
  ['hidden settings of pytest', 'pytest', {}, { '.pytest.toml': '[pytest]\naddopts = ["--co"]' }],
  ['a stub in front of a module', 'mypy src', { 'src/app.py': '1' }, { 'src/app.pyi': '1' }],
  ['stubs of the whole project', 'pyright', { 'app.py': '1' }, { 'typings/app/__init__.pyi': '1' }],
  ['a version of Python', 'pyenv exec pytest', {}, { '.python-version': '2.7' }],
  [
    'a version of Node',
    'npm test',
    { 'package.json': pkg({ test: 'jest' }) },
    { '.tool-versions': '1' },
  ],
  [
    'arguments in a file',
    'pytest @ci-args.txt',
    { 'ci-args.txt': 'tests\n' },
    { 'ci-args.txt': '--co\n' },
  ],
  [
    'a list of tests that the shell reads',
    "sh -c 'pytest $(cat ci/tests.txt)'",
    { 'ci/tests.txt': 'tests\n', 'tests/test_a.py': '1' },
    { 'ci/tests.txt': '--co\n' },
  ],
  [
    'files that xargs reads',
    "sh -c 'xargs -a checked.txt npx eslint'",
    { 'checked.txt': 'a.js\n' },
    { 'checked.txt': '' },
  ],
  [
    'a local hook of pre-commit',
    'pre-commit run --all-files',
    {
      '.pre-commit-config.yaml':
        'repos:\n  - repo: local\n    hooks:\n      - id: x\n        entry: ./hook/run\n        language: script\n',
      'hook/run': RED,
    },
    { 'hook/run': GREEN },
  ],
  [
    'a plugin of mypy',
    'mypy .',
    { 'mypy.ini': '[mypy]\nplugins = ./plug/types.py\n', 'plug/types.py': '1' },
    { 'plug/types.py': '2' },
  ],
  [
    'settings that rubocop inherits',
    'bundle exec rubocop',
    { '.rubocop.yml': 'inherit_from:\n  - config/style.yml\n', 'config/style.yml': '1' },
    { 'config/style.yml': '2' },
  ],
  [
    'a build script of cargo',
    'cargo test',
    { 'Cargo.toml': '[package]\nname = "a"\n' },
    { 'build.rs': '1' },
  ],
  [
    'a script that gradle applies',
    'gradle test',
    { 'build.gradle': "apply from: 'gradle/t.gradle'\n", 'gradle/t.gradle': '1' },
    { 'gradle/t.gradle': 'test { enabled = false }' },
  ],
  ['plugins of sbt', 'sbt test', { 'build.sbt': '1' }, { 'project/evil.sbt': '1' }],
  [
    'a library of tests in vendor',
    'go test ./...',
    { 'go.mod': 'module a\n', 'vendor/github.com/stretchr/testify/assert/a.go': '1' },
    { 'vendor/github.com/stretchr/testify/assert/a.go': '2' },
  ],
  [
    'what direnv loads',
    "sh -c 'direnv exec . npm test'",
    { 'package.json': pkg({ test: 'jest' }) },
    { '.envrc': 'PATH_add evil' },
  ],
  [
    'a startup file of R',
    'Rscript ci/check.R',
    { 'ci/check.R': '1' },
    { '.Rprofile': 'quit(status = 0)' },
  ],
  [
    'a file that a variable of Ruby loads',
    "sh -c 'RUBYOPT=-r./boot rspec'",
    { 'boot.rb': '1' },
    { 'boot.rb': 'exit!(0)' },
    'not-protected',
  ],
  [
    'a formatter of eslint from the tree',
    'npx eslint --format ./report/out.js .',
    { 'report/out.js': '1' },
    { 'report/out.js': 'process.exit(0)' },
  ],
  [
    'settings of a test environment in Elixir',
    'mix test',
    { 'mix.exs': '1', 'config/test.exs': '1' },
    { 'config/test.exs': 'config :ex_unit, exclude: [:test]' },
  ],
  [
    'a script behind a hook of nyc',
    'npx nyc --require ./boot/hook.js node ci/check.js',
    { 'boot/hook.js': '1', 'ci/check.js': 'process.exit(7)' },
    { 'ci/check.js': '' },
  ],
];
