/** The reporter of pytest, in real processes outside any sandbox. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reported } from '../support/run-reported.ts';
import { firstThatWorks, runReported } from '../support/run-reported.ts';

type Files = Readonly<Record<string, string>>;

const found = firstThatWorks(
  ['/usr/bin/python3', 'python3'].map((python) => [python, '-m', 'pytest', '--version']),
);
const [python = 'python3'] = found ?? [];
const skip =
  found === undefined && process.env['CI'] === undefined ? 'missing: a python with pytest' : false;

const GOOD = 'def test_a():\n    pass\n';
const BAD = `${GOOD}def test_b():\n    assert False\n`;

/** In a hook with a `config`: goes through our plugins. */
const OURS =
  "    for plugin in list(config.pluginmanager.get_plugins()):\n        if type(plugin).__name__ != 'SupervisorReports': continue\n";
const FINE = 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n';

const pytest = (files: Files, args: readonly string[] = []): Promise<Reported> =>
  runReported({ command: [python, '-m', 'pytest', ...args], files, expected: ['pytest'] });

describe('code under pytest that ends the test runner is red', { timeout: 600_000, skip }, () => {
  const reds: [what: string, files: Files, exit: number | null, words: RegExp][] = [
    [
      'at its import',
      { 'test_a.py': `import code_a\n${BAD}`, 'code_a.py': 'import os\nos._exit(0)\n' },
      0,
      /ended early: 0 tests reported/,
    ],
    [
      'in a conftest',
      { 'test_a.py': BAD, 'conftest.py': 'import os\nos._exit(0)\n' },
      0,
      /ended early/,
    ],
    [
      'in a test',
      { 'test_a.py': `${GOOD}import os\ndef test_b():\n    os._exit(0)\ndef test_c(): pass\n` },
      0,
      /ended early: 1 of 3 tests reported/,
    ],
    [
      'in a fixture',
      {
        'test_a.py': `import os, pytest\n@pytest.fixture(scope='session', autouse=True)\ndef end():\n    yield\n    os._exit(0)\n${BAD}`,
      },
      0,
      /ended early: 1 of 2 tests reported/,
    ],
    [
      'in a thread',
      {
        'test_a.py': `import os, threading, time\ndef test_a():\n    threading.Thread(target=lambda: os._exit(0)).start()\n    time.sleep(60)\n`,
      },
      0,
      /ended early: 0 of 1 test reported/,
    ],
    [
      'when it is over, with another exit code',
      { 'test_a.py': `import atexit, os\natexit.register(lambda: os._exit(0))\n${BAD}` },
      0,
      /1 test of pytest failed/,
    ],
    [
      'by the exit code of its session',
      {
        'test_a.py': BAD,
        'conftest.py': 'def pytest_sessionfinish(session):\n    session.exitstatus = 0\n',
      },
      0,
      /1 test of pytest failed/,
    ],
    [
      'by a polite end in the middle',
      { 'test_a.py': `import pytest\ndef test_0():\n    pytest.exit('done', 0)\n${BAD}` },
      0,
      /left tests out: 0 of 3 tests reported/,
    ],
    [
      'by another program',
      { 'test_a.py': `${BAD}import os\ndef test_c():\n    os.execv('/bin/true', ['true'])\n` },
      0,
      /ended early: 2 of 3 tests reported/,
    ],
    [
      'and writes a report of its own',
      {
        'test_a.py': `import os, stat\ndef test_a():\n    for fd in range(3, 60):\n        try:\n            if stat.S_ISSOCK(os.fstat(fd).st_mode): os.write(fd, b'{"key":"k","end":{"passed":1,"failed":0,"skipped":0}}\\n')\n        except OSError: pass\n    os._exit(0)\n`,
      },
      0,
      /something other than the reporter of pytest wrote into its report/,
    ],
    [
      'that unloads the reporter',
      {
        'test_a.py': BAD,
        'conftest.py':
          "def pytest_sessionstart(session):\n    for plugin in session.config.pluginmanager.get_plugins():\n        if type(plugin).__name__.startswith('Supervisor'): session.config.pluginmanager.unregister(plugin)\ndef pytest_sessionfinish(session):\n    session.exitstatus = 0\n",
      },
      0,
      /ended early/,
    ],
    [
      'that ends the report through the reporter',
      {
        'test_a.py': BAD,
        'conftest.py': `import os\ndef pytest_configure(config):\n${OURS}        getattr(plugin, 'end', print)(False)\n    os._exit(0)\n`,
      },
      0,
      /ended early: 0 tests reported/,
    ],
    [
      'that unloads the reporter and lets it say that it is loaded',
      {
        'test_a.py': BAD,
        'conftest.py': `${FINE}def pytest_configure(config):\n${OURS}        config.pluginmanager.unregister(plugin)\n        plugin.is_loaded = lambda: True\n        config.pluginmanager.is_registered = lambda plugin: True\n`,
      },
      0,
      /ended early: 0 tests reported/,
    ],
    [
      'that is in place of the run',
      { 'test_a.py': BAD, 'conftest.py': 'def pytest_cmdline_main(config):\n    return 0\n' },
      0,
      /pytest ended without any test/,
    ],
    [
      'that takes all tests out',
      {
        'test_a.py': BAD,
        'conftest.py': `${FINE}def pytest_collection_modifyitems(items):\n    items[:] = []\n`,
      },
      0,
      /pytest ended without any test/,
    ],
    [
      'that only collects the tests, which the command does not ask for',
      {
        'test_a.py': BAD,
        'conftest.py': 'def pytest_configure(config):\n    config.option.collectonly = True\n',
      },
      0,
      /left tests out: 0 of 2 tests reported/,
    ],
  ];
  for (const [what, files, exit, words] of reds)
    test(what, async () => {
      const reported = await pytest(files);
      assert.equal(reported.exit, exit, reported.output);
      assert.match(reported.reds.join('; '), words);
    });

  test('a Python that does not load the reporter reports nothing', async () => {
    const command = [python, '-E', '-m', 'pytest'];
    const { exit, reds } = await runReported({
      command,
      files: { 'test_a.py': GOOD },
      expected: ['pytest'],
    });
    assert.deepEqual(
      [exit, reds],
      [
        0,
        [
          'pytest reported nothing, though the command starts it; if its tests ran, set count: false for this gate',
        ],
      ],
    );
  });
});

describe('an honest suite of pytest is green and counted', { timeout: 600_000, skip }, () => {
  const MIXED = `import pytest, unittest
@pytest.mark.skip
def test_skip(): pass
@pytest.mark.xfail
def test_xfail(): assert 0
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.parametrize('n', [1, 2, 3])
def test_many(n): pass
class T(unittest.TestCase):
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail('x')
`;
  const NESTED = `import os, subprocess, sys
def test_a(tmp_path):
    (tmp_path / 'test_b.py').write_text('def test_b(): assert 0')
    assert subprocess.run([sys.executable, '-m', 'pytest', str(tmp_path)]).returncode == 1
def test_fork():
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
def test_inside():
    import unittest
    class T(unittest.TestCase):
        def test_x(self): self.fail()
    unittest.TestSuite([T('test_x')]).run(unittest.TestResult())
`;
  const greens: [
    what: string,
    files: Files,
    args: readonly string[],
    counts: readonly [passed: number, skipped: number],
  ][] = [
    ['with every kind of test', { 'test_a.py': MIXED }, ['-q'], [5, 3]],
    ['of several files', { 'a/test_a.py': GOOD, 'b/test_b.py': GOOD }, ['-x'], [2, 0]],
    ['of which some are chosen', { 'test_a.py': BAD }, ['test_a.py::test_a'], [1, 0]],
    ['that is only collected', { 'test_a.py': BAD }, ['--co'], [0, 0]],
    ['that starts another one', { 'test_a.py': NESTED }, [], [3, 0]],
  ];
  for (const [what, files, args, [passed, skipped]] of greens)
    test(what, async () => {
      const { exit, reds, counted, output } = await pytest(files, args);
      assert.deepEqual([exit, reds], [0, []], output);
      assert.deepEqual(counted, { passed, failed: 0, skipped, runners: ['pytest'] });
    });

  test('when a script of the project starts it', async () => {
    const files = {
      'run.py': "import sys, pytest\nsys.exit(pytest.main(['-q']))\n",
      'test_a.py': GOOD,
    };
    const { reds, counted } = await runReported({
      command: [python, 'run.py'],
      files,
      expected: [],
    });
    assert.deepEqual([reds, counted?.passed], [[], 1]);
  });
});

test(
  'failed tests of pytest have their names, and a file that can not be loaded has its own',
  { timeout: 600_000, skip },
  async () => {
    const files = { 'test_a.py': BAD, 'test_c.py': 'import missing_module\n' };
    const { exit, counted, output } = await pytest(files, ['--continue-on-collection-errors']);
    assert.equal(exit, 1, output);
    assert.deepEqual(counted?.failing, ['test_a.py::test_b', 'test_c.py'], output);
  },
);
