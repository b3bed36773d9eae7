/** The reporter of unittest, in real processes outside any sandbox. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstThatWorks, runReported } from '../support/run-reported.ts';

type Files = Readonly<Record<string, string>>;

const found = firstThatWorks([
  ['/usr/bin/python3', '--version'],
  ['python3', '--version'],
]);
const [python = 'python3'] = found ?? [];
const skip = found === undefined && process.env['CI'] === undefined ? 'missing: python3' : false;

const GOOD = 'import unittest\nclass T(unittest.TestCase):\n    def test_a(self): pass\n';
const BAD = `${GOOD}    def test_b(self): self.fail("no")\n`;
const MAIN = 'if __name__ == "__main__":\n    unittest.main()\n';
const MODULE = ['-m', 'unittest'];

describe('code under unittest that ends the test runner is red', { timeout: 600_000, skip }, () => {
  const reds: [what: string, args: readonly string[], files: Files, words: RegExp][] = [
    [
      'at its import',
      MODULE,
      { 'test_a.py': `import code_a\n${BAD}`, 'code_a.py': 'import os\nos._exit(0)\n' },
      /ended early: 0 tests reported/,
    ],
    [
      'at the import of a script',
      ['test_a.py'],
      { 'test_a.py': `import code_a\n${BAD}${MAIN}`, 'code_a.py': 'import sys\nsys.exit(0)\n' },
      /ended early: 0 tests reported/,
    ],
    [
      'in a test',
      MODULE,
      {
        'test_a.py': `${GOOD}    def test_b(self):\n        import os; os._exit(0)\n    def test_c(self): pass\n`,
      },
      /ended early: 1 of 3 tests reported/,
    ],
    [
      'in a fixture of a class',
      MODULE,
      {
        'test_a.py': `${BAD}    @classmethod\n    def tearDownClass(cls):\n        import os; os._exit(0)\n`,
      },
      /ended early/,
    ],
    [
      'when it is over, with another exit code',
      ['test_a.py'],
      { 'test_a.py': `import atexit, os\natexit.register(lambda: os._exit(0))\n${BAD}${MAIN}` },
      /1 test of unittest failed/,
    ],
    [
      'by what its result says',
      MODULE,
      { 'test_a.py': `${BAD}unittest.TestResult.wasSuccessful = lambda self: True\n` },
      /1 test of unittest failed/,
    ],
    [
      'by a result that forgets',
      MODULE,
      {
        'test_a.py': `${BAD}    def test_c(self):\n        self._outcome.result.failures.clear()\n`,
      },
      /1 test of unittest failed/,
    ],
    [
      'by a stop in the middle',
      MODULE,
      {
        'test_a.py': `${GOOD}    def test_b(self): self._outcome.result.stop()\n    def test_c(self): self.fail()\n`,
      },
      /left tests out: 2 of 3 tests reported/,
    ],
  ];
  for (const [what, args, files, words] of reds)
    test(what, async () => {
      const suite = { command: [python, ...args], files, expected: ['unittest'] };
      const { exit, reds: problems, output } = await runReported(suite);
      assert.equal(exit, 0, output);
      assert.match(problems.join('; '), words);
    });

  test('a script that never reaches its tests reports nothing', async () => {
    const files = { 'test_a.py': 'import os\nos._exit(0)\n' };
    const suite = { command: [python, 'test_a.py'], files, expected: ['unittest'] };
    const { reds: problems } = await runReported(suite);
    assert.deepEqual(problems, [
      'unittest reported nothing, though the command starts it; if its tests ran, set count: false for this gate',
    ]);
  });
});

describe('an honest suite of unittest is green and counted', { timeout: 600_000, skip }, () => {
  const MIXED = `import unittest
class T(unittest.TestCase):
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): pass
    def test_skipped_part(self):
        with self.subTest(i=1): self.skipTest('x')
    @unittest.expectedFailure
    def test_expected(self): self.fail('x')
    @unittest.skip('y')
    def test_skip(self): pass
class NoFixture(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest('no')
    def test_1(self): pass
    def test_2(self): pass
@unittest.skip('all')
class Skipped(unittest.TestCase):
    def test_1(self): pass
`;
  const NO_MODULE = `import unittest
def setUpModule(): raise unittest.SkipTest('m')
class M(unittest.TestCase):
    def test_1(self): pass
`;
  const NESTED = `import subprocess, sys, unittest
class T(unittest.TestCase):
    def test_a(self):
        with open('inner.py', 'w') as file: file.write('import unittest\\nclass I(unittest.TestCase):\\n    def test_i(self): self.fail()\\n')
        self.assertEqual(subprocess.run([sys.executable, '-m', 'unittest', 'inner']).returncode, 1)
`;
  const greens: [
    what: string,
    args: readonly string[],
    files: Files,
    counts: readonly [passed: number, skipped: number],
  ][] = [
    ['with every kind of test', MODULE, { 'test_a.py': MIXED, 'test_m.py': NO_MODULE }, [1, 7]],
    [
      'found in a folder',
      [...MODULE, 'discover', '-s', 't', '-v'],
      { 't/test_a.py': GOOD, 't/test_b.py': GOOD },
      [2, 0],
    ],
    ['of one test', [...MODULE, 'test_a.T.test_a'], { 'test_a.py': BAD }, [1, 0]],
    ['of a script', ['test_a.py', '-q'], { 'test_a.py': GOOD + MAIN }, [1, 0]],
    ['that starts another one', MODULE, { 'test_a.py': NESTED }, [1, 0]],
    [
      'beside a sitecustomize of the machine',
      MODULE,
      {
        'site/sitecustomize.py': 'import builtins\nbuiltins.from_site = 1\n',
        'test_a.py': GOOD.replace('pass', 'self.assertEqual(from_site, 1)'),
      },
      [1, 0],
    ],
  ];
  for (const [what, args, files, [passed, skipped]] of greens)
    test(what, async () => {
      const { exit, reds, counted, output } = await runReported({
        command: [python, ...args],
        files,
        expected: ['unittest'],
        env: { PYTHONPATH: 'site' },
      });
      assert.deepEqual([exit, reds], [0, []], output);
      assert.deepEqual(counted, { passed, failed: 0, skipped, runners: ['unittest'] });
    });

  test('and --help counts as no test run', async () => {
    const { exit, reds } = await runReported({
      command: [python, ...MODULE, '--help'],
      files: {},
      expected: [],
    });
    assert.deepEqual([exit, reds], [0, []]);
  });
});
