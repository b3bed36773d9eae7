import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { detectCommands } from './detect-commands.ts';
import { isDecisive } from './listing.ts';
import type { ProjectListing } from './listing.ts';

type Files = Readonly<Record<string, string>>;

function listingOf(files: Files, ignored: readonly string[] = []): ProjectListing {
  const texts = new Map(Object.entries(files).filter(([path]) => isDecisive(path)));
  return { paths: Object.keys(files), ignored, texts };
}

/** What was found, as lines: each gate with its command, the setup with its inputs, then notes. */
function found(files: Files, ignored: readonly string[] = []): readonly string[] {
  const { gates, setup, notes } = detectCommands(listingOf(files, ignored));
  return [
    ...gates.map(({ name, command }) => `${name}: ${command.join(' ')}`),
    ...(setup === null
      ? []
      : [
          `setup: ${setup.command.join(' ')} (${setup.inputs.join(', ')}) ${setup.network.join(',')}`,
        ]),
    ...notes.map((note) => `note: ${/packages of (\w+)/.exec(note)?.[1] ?? note}`),
  ];
}

const json = (value: unknown): string => JSON.stringify(value);
const SCRIPTS = { test: 'vitest', lint: 'eslint .', typecheck: 'tsc --noEmit' };
const APP = json({ scripts: SCRIPTS, devDependencies: { vitest: '4' } });
const VENV = 'python3 -m venv .venv && .venv/bin/pip install';

describe('the gates and the setup of a project', () => {
  const cases: [
    why: string,
    files: Files,
    lines: readonly string[],
    ignored?: readonly string[],
  ][] = [
    [
      'npm with a lockfile',
      { 'package.json': APP, 'package-lock.json': '' },
      [
        'test: npm test',
        'lint: npm run lint',
        'typecheck: npm run typecheck',
        'setup: npm ci (package-lock.json) registry',
      ],
    ],
    [
      'npm without a lockfile',
      { 'package.json': json({ scripts: { test: 'jest' }, devDependencies: { jest: '30' } }) },
      ['test: npm test', 'setup: npm install (package.json) registry'],
    ],
    [
      'npm without dependencies',
      { 'package.json': json({ scripts: { test: 'node --test' } }), 'package-lock.json': '' },
      ['test: npm test'],
    ],
    [
      'npm with committed dependencies',
      { 'package.json': APP, 'package-lock.json': '', 'node_modules/a/index.js': '' },
      ['test: npm test', 'lint: npm run lint', 'typecheck: npm run typecheck'],
    ],
    [
      'the test script that npm init writes',
      { 'package.json': json({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) },
      [],
    ],
    ['a package.json that is not JSON', { 'package.json': '{' }, []],
    [
      'node:test files without a script',
      { 'package.json': '{}', 'src/add.test.js': '' },
      ['test: node --test'],
    ],
    [
      'tools that are configured without a script',
      {
        'package.json': json({ devDependencies: { vitest: '4', typescript: '6', eslint: '9' } }),
        'src/a.test.ts': '',
        'tsconfig.json': '',
        'eslint.config.js': '',
        'pnpm-lock.yaml': '',
      },
      [
        'test: pnpm exec vitest run',
        'lint: pnpm exec eslint .',
        'typecheck: pnpm exec tsc --noEmit',
        'setup: pnpm install --frozen-lockfile (pnpm-lock.yaml) registry',
      ],
    ],
    [
      'npm workspaces whose members have the tests',
      {
        'package.json': json({ workspaces: ['packages/*'] }),
        'package-lock.json': '',
        'packages/a/package.json': json({ scripts: { test: 'node --test' } }),
        'packages/b/package.json': json({ scripts: { lint: 'eslint .' } }),
      },
      [
        'test: npm run test --workspaces --if-present',
        'lint: npm run lint --workspaces --if-present',
        'setup: npm ci (package-lock.json) registry',
      ],
    ],
    [
      'pnpm workspaces',
      {
        'package.json': '{}',
        'pnpm-workspace.yaml': 'packages: ["*"]',
        'pnpm-lock.yaml': '',
        'a/package.json': json({
          scripts: { test: 'vitest run' },
          devDependencies: { vitest: '4' },
        }),
      },
      [
        'test: pnpm --recursive --if-present run test',
        'setup: pnpm install --frozen-lockfile (pnpm-lock.yaml) registry',
      ],
    ],
    [
      'yarn 1',
      { 'package.json': APP, 'yarn.lock': '' },
      [
        'test: yarn test',
        'lint: yarn run lint',
        'typecheck: yarn run typecheck',
        'setup: yarn install --frozen-lockfile (yarn.lock) registry',
      ],
    ],
    [
      'yarn 4 with workspaces',
      {
        'package.json': json({ packageManager: 'yarn@4.9.1', workspaces: ['a'] }),
        'yarn.lock': '',
        'a/package.json': json({ scripts: { test: 'jest' } }),
      },
      [
        'test: yarn workspaces foreach --all run test',
        'setup: yarn install --immutable (yarn.lock) registry',
      ],
    ],
    [
      'yarn with everything committed',
      { 'package.json': APP, 'yarn.lock': '', '.pnp.cjs': '' },
      ['test: yarn test', 'lint: yarn run lint', 'typecheck: yarn run typecheck'],
    ],
    [
      'bun with and without a script',
      { 'package.json': json({ dependencies: { hono: '4' } }), 'bun.lock': '', 'a.test.ts': '' },
      ['test: bun test', 'setup: bun install --frozen-lockfile (bun.lock) registry'],
    ],
    [
      'bun with a script test',
      { 'package.json': json({ scripts: { test: 'bun test' } }), 'bun.lockb': '' },
      ['test: bun run test'],
    ],
    [
      'two lockfiles and the field packageManager',
      {
        'package.json': json({
          packageManager: 'npm@11',
          scripts: { test: 'x' },
          dependencies: { a: '1' },
        }),
        'package-lock.json': '',
        'pnpm-lock.yaml': '',
      },
      ['test: npm test', 'setup: npm ci (package-lock.json) registry'],
    ],
    [
      'pip with requirements',
      { 'requirements.txt': 'flask\npytest==8', 'tests/test_a.py': '' },
      [
        'test: .venv/bin/python -m pytest',
        `setup: sh -c ${VENV} -r requirements.txt (requirements.txt) registry`,
      ],
    ],
    [
      'pip with development requirements, ruff and mypy',
      {
        'requirements.txt': 'flask',
        'requirements-dev.txt': 'pytest\nruff',
        'ruff.toml': '',
        'mypy.ini': '',
        'test_a.py': '',
      },
      [
        'test: .venv/bin/python -m pytest',
        'lint: .venv/bin/python -m ruff check .',
        'typecheck: .venv/bin/python -m mypy .',
        `setup: sh -c ${VENV} -r requirements.txt -r requirements-dev.txt mypy (requirements.txt, requirements-dev.txt) registry`,
      ],
    ],
    [
      'a virtual environment with another name',
      { 'requirements.txt': 'flask', 'test_a.py': 'import pytest' },
      [
        'test: venv/bin/python -m pytest',
        'setup: sh -c python3 -m venv venv && venv/bin/pip install -r requirements.txt pytest (requirements.txt) registry',
      ],
      ['venv'],
    ],
    [
      'a package with extras for its tests',
      {
        'pyproject.toml':
          '[project]\nname = "a"\ndependencies = ["rich"]\n[project.optional-dependencies]\ntest = ["pytest>=8"]\ndocs = ["sphinx"]\n[tool.pytest.ini_options]\n[tool.mypy]\nfiles = ["src"]\n',
      },
      [
        'test: .venv/bin/python -m pytest',
        'typecheck: .venv/bin/python -m mypy',
        `setup: sh -c ${VENV} -e '.[test]' mypy (pyproject.toml) registry`,
      ],
    ],
    [
      'unittest and no dependencies',
      { 'tests/test_a.py': 'import unittest\n' },
      ['test: python3 -m unittest discover -s tests -t .'],
    ],
    [
      'unittest, behind a million blank lines',
      { 'tests/test_a.py': `${'\n'.repeat(1_000_000)}import unittest\n` },
      ['test: python3 -m unittest discover -s tests -t .'],
    ],
    [
      'unittest, imported after another module',
      { 'tests/test_a.py': 'import sys as s, unittest\n' },
      ['test: python3 -m unittest discover -s tests -t .'],
    ],
    [
      'uv',
      {
        'pyproject.toml':
          '[dependency-groups]\ndev = ["pytest", "ruff"]\n[tool.ruff]\n[tool.mypy]\n',
        'uv.lock': '',
        'tests/test_a.py': '',
      },
      [
        'test: .venv/bin/python -m pytest',
        'lint: .venv/bin/python -m ruff check .',
        'setup: uv sync --frozen --python-preference only-system (uv.lock) registry',
      ],
    ],
    [
      'poetry',
      {
        'pyproject.toml': '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n',
        'poetry.lock': '',
        'tests/test_a.py': '',
      },
      [
        'test: .venv/bin/python -m pytest',
        'setup: sh -c POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction (poetry.lock) registry',
      ],
    ],
    [
      'pipenv',
      { Pipfile: '[dev-packages]\npytest = "*"\n', 'Pipfile.lock': '', 'test_a.py': '' },
      [
        'test: .venv/bin/python -m pytest',
        'setup: sh -c PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev (Pipfile.lock) registry',
      ],
    ],
    [
      'tox that runs pytest',
      { 'tox.ini': '[testenv]\ncommands = pytest {posargs}\n[flake8]\n', 'setup.py': '' },
      [
        'test: .venv/bin/python -m pytest',
        'lint: .venv/bin/python -m flake8',
        `setup: sh -c ${VENV} -e . pytest flake8 (setup.py) registry`,
      ],
    ],
    [
      'Go with dependencies',
      { 'go.mod': 'module a\n\nrequire example.org/b v1.0.0\n', 'go.sum': '', 'a_test.go': '' },
      [
        'test: go test ./...',
        'lint: go vet ./...',
        'setup: go mod vendor (go.mod, go.sum) registry',
      ],
    ],
    [
      'Go without dependencies and without tests',
      { 'go.mod': 'module a\n', '.golangci.yml': '' },
      ['lint: golangci-lint run'],
    ],
    [
      'Go with committed dependencies',
      { 'go.mod': 'module a\nrequire (\n b v1\n)\n', 'vendor/modules.txt': '', 'a_test.go': '' },
      ['test: go test ./...', 'lint: go vet ./...'],
    ],
    [
      'a Go workspace',
      { 'go.work': 'use ./a\n', 'a/go.mod': 'module a\nrequire b v1\n', 'a/a_test.go': '' },
      ['test: go test ./...', 'lint: go vet ./...', 'setup: go work vendor (go.work) registry'],
    ],
    ['Rust alone', { 'Cargo.toml': '[package]\nname = "a"\n' }, ['test: cargo test']],
    [
      'Rust with dependencies and clippy',
      { 'Cargo.toml': '[dependencies]\nserde = "1"\n', 'clippy.toml': '' },
      ['test: cargo test', 'lint: cargo clippy --all-targets', 'note: cargo'],
    ],
    [
      'Maven with its wrapper',
      { 'pom.xml': '', mvnw: '' },
      ['test: ./mvnw --batch-mode --offline test', 'note: maven'],
    ],
    ['Gradle', { 'build.gradle.kts': '' }, ['test: gradle --offline test', 'note: gradle']],
    [
      'Ruby with rspec',
      { Gemfile: "gem 'rspec'\n", 'spec/a_spec.rb': '', '.rubocop.yml': '' },
      ['test: bundle exec rspec', 'lint: bundle exec rubocop', 'note: bundler'],
    ],
    [
      'Rails',
      { Gemfile: "gem 'rails'\n", 'bin/rails': '', 'test/models/a_test.rb': '' },
      ['test: bin/rails test', 'note: bundler'],
    ],
    [
      'PHP with phpunit and phpstan',
      {
        'composer.json': json({
          require: { php: '>=8' },
          'require-dev': { 'phpunit/phpunit': '11' },
        }),
        'phpunit.xml.dist': '',
        'phpstan.neon': '',
      },
      ['test: vendor/bin/phpunit', 'typecheck: vendor/bin/phpstan analyse', 'note: composer'],
    ],
    [
      'PHP with a script',
      { 'composer.json': json({ scripts: { test: 'phpunit' } }), 'phpunit.xml': '' },
      ['test: composer run-script test'],
    ],
    ['.NET', { 'App.sln': '', 'src/App/App.csproj': '' }, ['test: dotnet test']],
    ['Elixir', { 'mix.exs': '' }, ['test: mix test']],
    ['Deno', { 'deno.json': '' }, ['test: deno test']],
    [
      'make alone',
      { Makefile: 'CC := cc\n.PHONY: test lint\n\nall test: build\n\tcc a.c\nlint:\n\ttrue\n' },
      ['test: make test', 'lint: make lint'],
    ],
    ['a Makefile that only assigns', { Makefile: 'test := 1\ntest ?= 2\nURL = test:1\n' }, []],
    [
      'just',
      { justfile: 'set shell := ["sh"]\n@check target="all":\n  true\n' },
      ['test: just check'],
    ],
    [
      'make beside a language, for what the language lacks',
      { 'package.json': json({ scripts: { test: 'x' } }), Makefile: 'test:\nlint:\n' },
      ['test: npm test', 'lint: make lint'],
    ],
    [
      'two languages in one folder',
      {
        'package.json': json({ scripts: { test: 'x' }, dependencies: { a: '1' } }),
        'package-lock.json': '',
        'requirements.txt': 'pytest',
        'test_a.py': '',
      },
      [
        'test node: npm test',
        'test python: .venv/bin/python -m pytest',
        `setup: sh -c npm ci && ${VENV} -r requirements.txt (package-lock.json, requirements.txt) registry`,
      ],
    ],
    [
      'a front and a back in folders of their own',
      {
        'README.md': '',
        'web/package.json': json({ scripts: { test: 'x', lint: 'y' }, dependencies: { a: '1' } }),
        'web/pnpm-lock.yaml': '',
        'my api/go.mod': 'module a',
        'my api/a_test.go': '',
      },
      [
        "test my api: sh -c cd 'my api' && go test ./...",
        'test web: sh -c cd web && pnpm test',
        "lint my api: sh -c cd 'my api' && go vet ./...",
        'lint web: sh -c cd web && pnpm run lint',
        'setup: sh -c cd web && pnpm install --frozen-lockfile (web/pnpm-lock.yaml) registry',
      ],
    ],
    [
      'examples and fixtures with manifests of their own',
      { 'examples/package.json': APP, 'tests/fixtures/package.json': APP, 'docs/go.mod': '' },
      [],
    ],
    ['no tests at all', { 'README.md': '', 'src/main.c': '' }, []],
    ['an empty folder', {}, []],
  ];
  for (const [why, files, lines, ignored] of cases)
    test(why, () => assert.deepEqual(found(files, ignored), lines));

  test('say where they were found', () => {
    const { gates } = detectCommands(
      listingOf({ 'package.json': APP, 'web/go.mod': '', 'web/a_test.go': '' }),
    );
    assert.deepEqual(
      gates.map(({ why }) => why),
      [
        'the script test in package.json',
        'web: files that end in _test.go',
        'the script lint in package.json',
        'web: go.mod',
        'the script typecheck in package.json',
      ],
    );
  });
});
