import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { followCommand } from './gate-command.ts';
import type { FileTree } from '../../workspace/tree-entries.ts';
import { attachReporter } from '../../test-reports/attach-runner.ts';

type Files = Readonly<Record<string, string>>;

const SCRIPT = 'import unittest\nclass T(unittest.TestCase): pass\nunittest.main()\n';

/** What has to report when this command runs on these files, and what can't. */
function expected(
  command: string,
  files: Files,
): { readonly runners: readonly string[]; readonly silent: readonly string[] } {
  const texts = new Map(Object.entries(files));
  const tree: FileTree = new Map(
    [...texts].map(([path, id]) => [path, { mode: '100755', id, bytes: id.length }]),
  );
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? '');
  const { runners, silent } = followCommand(words, '', tree, texts);
  return {
    runners: [...runners].filter((runner) => !silent.has(runner)).toSorted(),
    silent: [...runners].filter((runner) => silent.has(runner)).toSorted(),
  };
}

describe('a command that starts a test runner', () => {
  const starts: [command: string, runners: readonly string[], files?: Files][] = [
    ['pytest -v', ['pytest']],
    ['py.test', ['pytest']],
    ['pytest-3 -q tests', ['pytest']],
    ['python -m pytest', ['pytest']],
    ['python3.11 -B -m pytest -x', ['pytest']],
    ['coverage run --branch -m pytest', ['pytest']],
    ['poetry run pytest', ['pytest']],
    ['uv run pytest', ['pytest']],
    ['pytest --co', []],
    ['python3 -m pytest --help', []],
    ['python3 -m unittest -v', ['unittest']],
    ['python3 -m unittest discover -s t', ['unittest']],
    ['python3 -m unittest mod.Class.test', ['unittest']],
    ['coverage run -m unittest', ['unittest']],
    ['python3 test_a.py -v', ['unittest'], { 'test_a.py': SCRIPT }],
    ['python3 test_a.py --help', [], { 'test_a.py': SCRIPT }],
    ['python3 lint.py', [], { 'lint.py': 'from unittest import mock\nmain()\n' }],
    ['python3 -c pass', []],
    ['go test ./...', ['go test']],
    ['go test -v -run TestA ./a', ['go test']],
    ['go -C sub test ./...', ['go test']],
    ['go test -c ./a', []],
    ['go test -list . ./a', []],
    ['go vet ./...', []],
    ['go build ./test', []],
    ['cargo test', ['cargo test']],
    ['cargo +stable t --workspace', ['cargo test']],
    ['cargo nextest run', ['cargo test']],
    ['cargo nextest list', []],
    ['cargo test --no-run', []],
    ['cargo test --doc', []],
    ['cargo clippy --tests', []],
    ['make test', ['go test', 'pytest'], { Makefile: 'test:\n\tgo test ./...\n\tpytest\n' }],
    ['npm test', ['pytest'], { 'package.json': '{"scripts":{"test":"python3 -m pytest"}}' }],
    ["sh -c 'PYTHONPATH=src:$PYTHONPATH pytest'", ['pytest']],
    ['sh -c \'GOFLAGS="$GOFLAGS -mod=vendor" go test ./...\'', ['go test']],
  ];
  for (const [command, runners, files = {}] of starts)
    test(`${command}: ${runners.join(', ') || 'none'} has to report`, () =>
      assert.deepEqual(expected(command, files), { runners, silent: [] }));

  const silences: [why: string, command: string, silent: readonly string[], files?: Files][] = [
    ['Python without variables', 'python3 -I -m pytest', ['pytest']],
    ['Python without its site', 'python3 -BS -m unittest', ['unittest']],
    ['another path of modules', "sh -c 'PYTHONPATH=src pytest'", ['pytest']],
    ['other flags of go', "sh -c 'GOFLAGS=-mod=vendor go test ./...'", ['go test']],
    ['another program that starts tests', 'go test -exec sudo ./...', ['go test']],
    ['another machine', 'cargo test --target wasm32-wasip1', ['cargo test']],
    ['tox', 'tox', ['pytest'], { 'tox.ini': '[testenv]\ncommands = pytest\n' }],
  ];
  for (const [why, command, silent, files = {}] of silences)
    test(`is not expected to report with ${why}: ${command}`, () =>
      assert.deepEqual(expected(command, files), { runners: [], silent }));
});

test('the variables of a gate keep what they had', () => {
  const own = { PYTHONPATH: 'src', GOFLAGS: '-mod=vendor' };
  const { PYTHONPATH, GOFLAGS, CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER } = attachReporter(
    own,
    '/f',
  );
  assert.deepEqual(
    { PYTHONPATH, GOFLAGS, CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER },
    {
      PYTHONPATH: '/f:src',
      GOFLAGS: '-mod=vendor -exec=/f/go_exec -count=1',
      CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER: '/f/cargo_runner',
    },
  );
});
