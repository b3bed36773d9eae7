/** What must not happen to honest work: files of it taken away, or an ordinary gate called unprotected. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { followCommand } from './gate-command.ts';
import { findGateDefinition } from './gate-definition.ts';
import { restoreManifest } from './manifest-parts.ts';

type Files = Readonly<Record<string, string>>;

const tree = (files: Files): FileTree =>
  new Map(Object.entries(files).map(([path, id]) => [path, { mode: '100644', id, bytes: 1 }]));
const words = (line: string): readonly string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
const pkg = (scripts: object, more: object = {}): string =>
  JSON.stringify({ name: 'a', scripts, ...more });

describe('an ordinary gate can be protected', () => {
  const cases: [gate: string, base?: Files][] = [
    ['npm test', { 'package.json': pkg({ test: 'jest --coverage' }) }],
    ['npm test', { 'package.json': pkg({ test: 'tsc && node --test' }) }],
    [
      'npm run check',
      { 'package.json': pkg({ check: 'eslint . && prettier --check . && vitest run' }) },
    ],
    [
      "sh -c 'npm ci && npm run build && npm test'",
      { 'package.json': pkg({ build: 'vite build', test: 'mocha' }) },
    ],
    ['pnpm test', { 'package.json': pkg({ test: 'cross-env CI=1 vitest run' }) }],
    ['yarn jest'],
    ['npx tsc --noEmit -p tsconfig.json'],
    ['pytest -q tests'],
    ['python3 -m pytest'],
    ['pytest -p no:cacheprovider -p xdist'],
    ['python3 --version'],
    ['node --version'],
    ['python3 -m unittest discover -s tests'],
    ['poetry run pytest'],
    ['uv run pytest'],
    ['.venv/bin/python -m pytest'],
    [
      'tox -e py312',
      { 'tox.ini': '[testenv]\ndeps = pytest\ncommands =\n    pytest {posargs}\n    ruff check\n' },
    ],
    ['go test ./...'],
    ["sh -c 'go vet ./... && go test -race ./...'"],
    ['cargo test --workspace'],
    ['cargo clippy -- -D warnings'],
    ['mvn -q verify'],
    ['./gradlew check', { gradlew: '#!/bin/sh\nexec "$JAVACMD" "$@"\n' }],
    ['bundle exec rspec'],
    ['vendor/bin/phpunit'],
    ['dotnet test'],
    ['mix test'],
    [
      'make test',
      {
        Makefile:
          'PY ?= python3\n.PHONY: test\ntest: lint\n\t$(PY) -m pytest\nlint:\n\truff check src\n',
      },
    ],
    [
      'make check',
      {
        Makefile:
          'SRCS := $(wildcard src/*.c)\nOBJS := $(SRCS:.c=.o)\ncheck: prog\n\t./prog --selftest\n',
      },
    ],
    ['npm test', { 'package.json': pkg({ test: 'react-scripts test --watchAll=false' }) }],
    ['npm test', { 'package.json': pkg({ test: 'ng test --no-watch --browsers=ChromeHeadless' }) }],
    ['npm test', { 'package.json': pkg({ test: 'vue-cli-service test:unit' }) }],
    ['npx cucumber-js'],
    ['npm test', { 'package.json': pkg({ test: 'ts-mocha -p tsconfig.json test/**/*.ts' }) }],
    ['npm test', { 'package.json': pkg({ test: 'prisma generate && jest' }) }],
    ['npm test', { 'package.json': pkg({ test: 'dotenv -e .env.test -- vitest run' }) }],
    ['npm test', { 'package.json': pkg({ test: 'env-cmd -f .env.test jest' }) }],
    ['npm test', { 'package.json': pkg({ test: 'cross-env NODE_ENV=test TZ=UTC jest --ci' }) }],
    ['npm test', { 'package.json': pkg({ test: 'nyc --reporter text --all mocha' }) }],
    ['npm test', { 'package.json': pkg({ test: 'c8 -r html node --test', prepare: 'husky' }) }],
    [
      'make check',
      {
        Makefile:
          'CFLAGS ?= -O2\ncheck: t\n\t./t\nt: t.o a.o\n\t$(CC) $(CFLAGS) -o $@ $^\n%.o: %.c\n\t$(CC) -c $<\n',
      },
    ],
    ['make', { Makefile: 'all:\n\tgcc -Wall -o t t.c && ./t\n' }],
    [
      'bundle exec rake',
      {
        Rakefile:
          "require 'rake/testtask'\nRake::TestTask.new { |t| t.pattern = 'test/**/*_test.rb' }\ntask default: :test\ntask(:lint) { sh 'rubocop' }\n",
      },
    ],
    ['cargo nextest run --workspace'],
    ['cargo +nightly test --all-features'],
    ['cargo t', { '.cargo/config.toml': '[alias]\nt = "test --all"\n' }],
    ['cargo ci', { '.cargo/config.toml': '[alias]\nci = ["test", "--all"]\n' }],
    ['pipenv run pytest', { Pipfile: '[packages]\n' }],
    ['pdm run test', { 'pyproject.toml': '[tool.pdm.scripts]\ntest = "pytest -q"\n' }],
    ['pdm run pytest', { 'pyproject.toml': '[tool.pdm.scripts]\npytest = "pytest -q"\n' }],
    ['hatch test'],
    [
      'hatch run cov',
      {
        'pyproject.toml':
          '[tool.hatch.envs.default.scripts]\ntest = "pytest {args}"\ncov = ["test --cov", "coverage report"]\n',
      },
    ],
    ['mise run test', { 'mise.toml': '[tasks]\ntest = "go test ./..."\n' }],
    [
      'task test',
      {
        'Taskfile.yml':
          'version: "3"\nvars:\n  A: 1\ntasks:\n  test:\n    deps: [build]\n    cmds:\n      - task: lint\n      - go test ./...\n      - |\n        set -e\n        go vet ./...\n  build:\n    cmd: go build ./...\n',
      },
    ],
    [
      'pre-commit run --all-files',
      {
        '.pre-commit-config.yaml':
          'repos:\n  - repo: https://example.org/x\n    rev: v1\n    hooks:\n      - id: ruff\n      - id: own\n        entry: python3 -m mypy\n',
      },
    ],
    [
      'npm test',
      {
        'package.json': pkg({ test: 'TS_NODE_PROJECT=./tsconfig.json mocha' }),
        'tsconfig.json': '{}',
      },
    ],
    [
      'npx jest',
      {
        'jest.config.js':
          "const { defaults } = require('jest-config');\nmodule.exports = { ...defaults, setupFiles: ['./test/setup.js'] };\n",
      },
    ],
    [
      'npx vitest run',
      {
        'vite.config.ts':
          "import { defineConfig } from 'vite';\nimport react from '@vitejs/plugin-react';\nexport default defineConfig({ plugins: [react()], resolve: { alias: { '@': path.resolve(__dirname, './src') } } });\n",
      },
    ],
    [
      'npx eslint .',
      {
        'eslint.config.js':
          "import js from '@eslint/js';\nexport default [js.configs.recommended, { rules: { 'no-console': 'error' } }];\n",
      },
    ],
    ['grep -q done README.md'],
    ["sh -c 'test -f out.txt && grep -qx 42 out.txt'"],
    ['node --test test/accept.test.js'],
    [
      'bash ci/run.sh',
      {
        'ci/run.sh':
          '#!/usr/bin/env bash\nset -euo pipefail\ncd "$(dirname "$0")/.."\nif [[ -n "${CI:-}" ]]; then echo ci; fi\nfor d in a b; do (cd "$d" && go test ./...); done\nlog() { echo "$*"; }\nlog done\n',
      },
    ],
  ];
  for (const [gate, base = {}] of cases)
    test(gate, () => {
      const texts = new Map(Object.entries(base));
      assert.deepEqual(followCommand(words(gate), '', tree(base), texts).notFollowed, []);
    });
});

describe('honest work is judged as it is', () => {
  const cases: [why: string, gate: string, base: Files, work: Files][] = [
    [
      'a changed source',
      'npm test',
      { 'src/a.js': '1', 'package.json': pkg({ test: 'node --test' }) },
      { 'src/a.js': '2' },
    ],
    [
      'a source in a folder of features',
      'npm test',
      {
        'src/features/sum.js': '1',
        'test/sum.test.js': '1',
        'package.json': pkg({ test: 'node --test' }),
      },
      { 'src/features/sum.js': '2' },
    ],
    [
      'a new file beside makefiles that a pattern includes',
      'make check',
      { Makefile: 'check:\n\tpytest\n-include *.mk\n' },
      { 'hello.py': '1' },
    ],
    [
      'a folder of scripts called like a package of pytest',
      'pytest',
      { 'packaging/build.py': '1', 'tests/test_a.py': '1' },
      { 'packaging/build.py': '2', 'packaging/release.py': '1' },
    ],
    [
      'a new source',
      'pytest',
      { 'app/a.py': '1', 'tests/test_a.py': '1' },
      { 'app/types.py': '1', 'app/logging.py': '2' },
    ],
    [
      'first tests of a project',
      'npm test',
      { 'package.json': pkg({ test: 'node --test' }) },
      { 'test/a.test.js': '1' },
    ],
    [
      'first tests of a package',
      'pnpm -r test',
      {
        'package.json': pkg({}),
        'packages/a/package.json': pkg({ test: 'jest' }),
        'packages/a/a.test.js': '1',
        'packages/b/package.json': pkg({ test: 'jest' }),
      },
      { 'packages/b/b.test.js': '1' },
    ],
    [
      'a test that the gate names',
      'pytest tests/test_new.py',
      { 'tests/test_a.py': '1' },
      { 'tests/test_new.py': '1' },
    ],
    [
      'a folder that the gate names',
      'pytest tests/new',
      { 'tests/test_a.py': '1' },
      { 'tests/new/test_b.py': '1' },
    ],
    [
      'what a check looks at',
      'node ci/check.mjs',
      { 'ci/check.mjs': "import { f } from '../src/f.mjs';", 'src/f.mjs': '1' },
      { 'src/f.mjs': '2' },
    ],
    [
      'a module of the product beside a script',
      'python3 check.py',
      { 'check.py': 'import app\n', 'app.py': '1' },
      { 'app.py': '2' },
    ],
    [
      'a new package',
      'npm test',
      { 'package.json': pkg({ test: 'jest' }) },
      { 'packages/new/package.json': '{}', 'packages/new/tsconfig.json': '{}' },
    ],
    [
      'a new helper of tests',
      'npx jest',
      { 'test/a.test.js': '1', 'src/test-utils/a.ts': '1' },
      { 'src/test-utils/user.ts': '1', 'fixtures/user.json': '1' },
    ],
    [
      'sources that settings name',
      'npx vitest run',
      {
        'vite.config.ts':
          "export default { build: { lib: { entry: './src/index.ts' } }, resolve: { alias: { '@': path.resolve(__dirname, 'src') } } };",
        'tsconfig.json':
          '{"include": ["src"], "compilerOptions": {"paths": {"@": ["src/index.ts"]}}}',
        'webpack.config.js': "module.exports = { entry: path.join(__dirname, 'src', 'index.ts') }",
        'src/index.ts': '1',
      },
      { 'src/index.ts': '2', 'src/new.ts': '1' },
    ],
    [
      'modules that a conftest imports',
      'pytest',
      {
        'conftest.py': 'from app import create\nimport app.db\n',
        'app/__init__.py': '1',
        'app/db.py': '1',
      },
      { 'app/__init__.py': '2', 'app/db.py': '2' },
    ],
    ['a program that is asked for', 'python3 hello.py', {}, { 'hello.py': '1' }],
    ...[
      'grep -q mean stats.py',
      'python3 -m py_compile stats.py',
      'python3 -m mypy stats.py',
      'ruff check stats.py',
    ].map((gate): [string, string, Files, Files] => [
      `a source that the gate only reads: ${gate}`,
      gate,
      { 'stats.py': '1' },
      { 'stats.py': '2' },
    ]),
    ...[
      'node --check a.js',
      'node -c a.js',
      'eslint a.js',
      'npx tsc --noEmit --allowJs a.js',
      'bash -n a.js',
    ].map((gate): [string, string, Files, Files] => [
      `a source that the gate only reads: ${gate}`,
      gate,
      { 'a.js': '1' },
      { 'a.js': '2' },
    ]),
    [
      'documents',
      'npm test',
      { 'README.md': '1', 'package.json': pkg({ test: 'jest' }) },
      { 'README.md': '2', 'docs/spec/a.md': '1', '.env.example': '1' },
    ],
    [
      'a specification',
      'make',
      { Makefile: 'all:\n\ttrue\n', 'spec/api.yaml': '1' },
      { 'spec/api.yaml': '2' },
    ],
  ];
  for (const [why, gate, base, work] of cases)
    test(why, () => {
      const [before, after] = [tree(base), tree({ ...base, ...work })];
      const followed = followCommand(words(gate), '', before, new Map(Object.entries(base)));
      const { whole, parts, tests, quiet } = findGateDefinition(followed, before, after);
      assert.deepEqual(
        { whole, parts, tests, quiet },
        { whole: [], parts: [], tests: [], quiet: [] },
      );
    });

  const manifests: [why: string, path: string, was: string, is: string][] = [
    [
      'a dependency of npm',
      'package.json',
      pkg({}),
      pkg({}, { dependencies: { a: '1' }, version: '2' }),
    ],
    [
      'an entry of its own imports',
      'package.json',
      pkg({}, { imports: { '#a': './a.js' } }),
      pkg({}, { imports: { '#a': './a.js', '#b': './b.js' } }),
    ],
    [
      'a dependency of Python',
      'pyproject.toml',
      '[project]\ndependencies = []\n',
      '[project]\ndependencies = ["x"]\n',
    ],
    [
      'a crate',
      'Cargo.toml',
      '[package]\nname = "a"\nversion = "1"\n[dependencies]\n',
      '[package]\nname = "a"\nversion = "2"\n[dependencies]\nserde = "1"\n',
    ],
    [
      'a crate of its own',
      'Cargo.toml',
      '[workspace]\nmembers = ["a"]\n[dependencies]\nx = "1"\n',
      '[workspace]\nmembers = ["a", "b"]\n[dependencies]\nx = "2"\nb = { path = "b" }\n',
    ],
    [
      'a dependency of Poetry, in another order',
      'pyproject.toml',
      '[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\na = "1"\n[tool.ruff]\nline-length = 80\n',
      '[tool.ruff]\nline-length = 80 # wide\n[tool.poetry]\nname = "a"\ndependencies = { a = "1", b = "2" }\n',
    ],
    ['a dependency of pipenv', 'Pipfile', '[packages]\n', '[packages]\nx = "*"\n'],
    [
      'a model of Prisma',
      'prisma/schema.prisma',
      'generator c {\n}\n',
      'generator c {\n}\nmodel A {\n}\n',
    ],
    ['a module of Go', 'go.mod', 'module a\n', 'module a\nrequire x v1\n'],
    [
      'a dependency of Maven',
      'pom.xml',
      '<project><dependencies></dependencies></project>',
      '<project><dependencies><dependency><groupId>a</groupId></dependency></dependencies></project>',
    ],
    [
      'a dependency of Gradle',
      'build.gradle',
      'dependencies {\n}\n',
      "dependencies {\n  implementation 'a:b:1'\n}\n",
    ],
  ];
  for (const [why, path, was, is] of manifests)
    test(why, () => assert.equal(restoreManifest(path, was, is), undefined));
});
