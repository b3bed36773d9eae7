/** The reporter of go test, in real processes outside any sandbox. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Reported } from '../support/run-reported.ts';
import { firstThatWorks, runReported } from '../support/run-reported.ts';
import { tempDir } from '../support/temp-dir.ts';

type Files = Readonly<Record<string, string>>;

const found = firstThatWorks([['go', 'version']]);
const skip = found === undefined && process.env['CI'] === undefined ? 'missing: go' : false;
const shared = await tempDir();
after(() => shared[Symbol.asyncDispose]());

const ALL = ['./...'];
const TEST =
  'package a\n\nimport (\n\t"os"\n\t"syscall"\n\t"testing"\n)\n\nvar _, _ = os.Exit, syscall.Exit\n';
const GOOD = `${TEST}func TestA(t *testing.T) {}\n`;
const BAD = `${GOOD}func TestB(t *testing.T) { t.Error("no") }\n`;

const goTest = (files: Files, args: readonly string[] = ALL): Promise<Reported> =>
  runReported({
    command: ['go', 'test', ...args],
    files: { 'go.mod': 'module example.com/m\n\ngo 1.19\n', 'a/a.go': 'package a\n', ...files },
    expected: ['go test'],
    env: { GOCACHE: join(shared.path, 'cache'), GOTOOLCHAIN: 'local' },
  });

describe('code under go test that ends the test runner is red', { timeout: 600_000, skip }, () => {
  const reds: [what: string, files: Files, words: RegExp][] = [
    [
      'before its tests',
      {
        'a/a.go': 'package a\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n',
        'a/a_test.go': BAD,
      },
      /ended early: 0 of 2 tests reported/,
    ],
    [
      'instead of its tests',
      { 'a/a_test.go': `${BAD}func TestMain(m *testing.M) { os.Exit(0) }\n` },
      /ended early: 0 of 2 tests reported/,
    ],
    [
      'after its tests, with another exit code',
      { 'a/a_test.go': `${BAD}func TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n` },
      /1 test of go test failed/,
    ],
    [
      'in a test',
      { 'a/a_test.go': `${GOOD}func TestB(t *testing.T) { syscall.Exit(0) }\n` },
      /ended early: 1 of 2 tests reported/,
    ],
    [
      'beside a test',
      { 'a/a_test.go': `${GOOD}func TestB(t *testing.T) { go syscall.Exit(0); select {} }\n` },
      /ended early: 1 of 2 tests reported/,
    ],
    [
      'with a word that stands for success',
      {
        'a/a_test.go': `${GOOD}func TestB(t *testing.T) { os.Stdout.WriteString("\\nPASS\\n"); syscall.Exit(0) }\n`,
      },
      /left tests out: 1 of 2 tests reported/,
    ],
  ];
  for (const [what, files, words] of reds)
    test(what, async () => {
      const { exit, reds: problems, output } = await goTest(files);
      assert.equal(exit, 0, output);
      assert.match(problems.join('; '), words);
    });

  test('in a test that only Go itself finds', async () => {
    const text = `${GOOD}func TestB(t *testing.T) { os.Stdout.WriteString("\\nPASS\\n"); syscall.Exit(0) }\n`;
    const {
      exit,
      reds: problems,
      output,
    } = await goTest({ 'a/a_test.go': text }, ['-run', '(?i)test', './a']);
    assert.equal(exit, 0, output);
    assert.match(problems.join('; '), /left tests out: 1 of 2 tests reported/);
  });

  test('and a failure is shown as without the reporter', async () => {
    const text = `${BAD}func TestC(t *testing.T) { t.Log("quiet") }\n`;
    const { exit, output } = await goTest({ 'a/a_test.go': text });
    assert.equal(exit, 1);
    assert.match(output, /^--- FAIL: TestB \(\d+\.\d+s\)\n {4}a_test\.go:\d+: no\nFAIL\nFAIL\t/);
  });

  test('a command that finds no test at all reports nothing', async () => {
    const { exit, reds: problems } = await goTest({});
    assert.deepEqual(
      [exit, problems],
      [
        0,
        [
          'go test reported nothing, though the command starts it; if its tests ran, set count: false for this gate',
        ],
      ],
    );
  });
});

describe('an honest suite of go test is green and counted', { timeout: 600_000, skip }, () => {
  const MIXED = `package a_test

import (
	"fmt"
	"testing"
)

func TestParts(t *testing.T) { t.Run("x y", func(t *testing.T) { t.Log("in") }); fmt.Print("open") }
func TestSkip(t *testing.T) { t.Skip("x") }
func TestParallel(t *testing.T) { t.Parallel() }
func FuzzF(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) {}) }
func ExampleE() {
	fmt.Println(1)
	// Output: 1
}
func Example_silent() {}
func BenchmarkB(b *testing.B) {}
`;
  const OTHER = '//go:build never\n\npackage a\n\nfunc TestNever(t *testing.T) {}\n';
  const NESTED = `package a

import (
	"os"
	"os/exec"
	"testing"
)

func TestInner(t *testing.T) {
	if os.Getenv("INNER") != "" { os.Exit(0) }
	cmd := exec.Command(os.Args[0], "-test.run=TestInner")
	cmd.Env = append(os.Environ(), "INNER=1")
	cmd.Run()
}
`;
  const greens: [
    what: string,
    files: Files,
    args: readonly string[],
    counts: readonly [passed: number, skipped: number],
  ][] = [
    [
      'with every kind of test, and a package without',
      { 'a/a_test.go': MIXED, 'a/b_test.go': OTHER, 'b/b.go': 'package b\n' },
      ALL,
      [4, 1],
    ],
    [
      'of several packages',
      { 'a/a_test.go': GOOD, 'b/a_test.go': GOOD.replace('package a', 'package b') },
      ['-v', ...ALL],
      [2, 0],
    ],
    [
      'of which some are chosen',
      { 'a/a_test.go': BAD },
      ['-json', '-run', 'TestA', ...ALL],
      [1, 0],
    ],
    ['of benchmarks', { 'a/a_test.go': MIXED }, ['-run', '^$', '-bench', '.', './a'], [0, 0]],
    ['run twice', { 'a/a_test.go': GOOD }, ['-count=2', '-cover', './a'], [2, 0]],
    ['that starts itself', { 'a/a_test.go': NESTED }, ALL, [1, 0]],
  ];
  for (const [what, files, args, [passed, skipped]] of greens)
    test(what, async () => {
      const { exit, reds, counted, output } = await goTest(files, args);
      assert.deepEqual([exit, reds], [0, []], output);
      assert.deepEqual(counted, { passed, failed: 0, skipped, runners: ['go test'] });
    });

  test('and never comes from a cache', async () => {
    for (const _ of [1, 2]) {
      const { counted, output } = await goTest({ 'a/a_test.go': GOOD });
      assert.equal(counted?.passed, 1);
      assert.doesNotMatch(output, /cached/);
    }
  });

  test('and a program of the project runs as usual', async () => {
    const { exit, reds, output } = await runReported({
      command: ['go', 'run', './a'],
      files: {
        'go.mod': 'module example.com/m\n\ngo 1.19\n',
        'a/a.go':
          'package main\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc main() { fmt.Println("hi"); os.Exit(3) }\n',
      },
      expected: [],
      env: { GOCACHE: join(shared.path, 'cache') },
    });
    assert.deepEqual([exit, reds, output], [1, [], 'hi\nexit status 3\n']);
  });
});

test(
  'failed tests of go test have their names, below their package',
  { timeout: 600_000, skip },
  async () => {
    const root = 'package m\n\nimport "testing"\n\nfunc TestRoot(t *testing.T) { t.Error("no") }\n';
    const { exit, counted, output } = await goTest({ 'a/a_test.go': BAD, 'm_test.go': root });
    assert.equal(exit, 1, output);
    assert.deepEqual(counted?.failing, ['TestRoot', 'a: TestB'], output);
  },
);
