/** How versions of pytest begin a run, as stand-ins on the plugin manager that pytest has. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstThatWorks, runReported } from '../support/run-reported.ts';

const found = firstThatWorks(
  ['/usr/bin/python3', 'python3'].map((python) => [python, '-c', 'import pluggy']),
);
const [python = 'python3'] = found ?? [];
const skip =
  found === undefined && process.env['CI'] === undefined ? 'missing: a python with pluggy' : false;

const CONFIG = `import sys
import pluggy
hookspec = pluggy.HookspecMarker('pytest')
hookimpl = pluggy.HookimplMarker('pytest')

class Specs:
    @hookspec(firstresult=True)
    def pytest_cmdline_main(self, config): pass
    @hookspec(historic=True)
    def pytest_plugin_registered(self, plugin, manager): pass
    def pytest_collection_finish(self, session): pass
    def pytest_runtest_logreport(self, report): pass

class PytestPluginManager(pluggy.PluginManager):
    def __init__(self):
        super().__init__('pytest')
        self.add_hookspecs(Specs)
        self.register(Runs())
    def register(self, plugin, name=None):
        given = super().register(plugin, name)
        self.hook.pytest_plugin_registered.call_historic(kwargs=dict(plugin=plugin, manager=self))
        return given
    def parse_hookimpl_opts(self, plugin, name):
        if not name.startswith('pytest_'): return None
        return super().parse_hookimpl_opts(plugin, name) or dict.fromkeys(
            ('hookwrapper', 'optionalhook', 'tryfirst', 'trylast', 'specname'))

class Bag:
    def __init__(self, **all): self.__dict__.update(all)

class Runs:
    @hookimpl
    def pytest_cmdline_main(self, config):
        if hasattr(config, 'workerinput'): return 0
        import test_a
        names = [name for name in dir(test_a) if name.startswith('test_')]
        config.hook.pytest_collection_finish(session=Bag(config=config, items=names))
        red = 0
        for name in names:
            try: getattr(test_a, name)(); outcome = 'passed'
            except AssertionError: outcome = 'failed'; red = 1
            for when in ('call', 'teardown'):
                config.hook.pytest_runtest_logreport(report=Bag(
                    nodeid='test_a.py::' + name, when=when, outcome=outcome if when == 'call' else 'passed'))
        return red

def run_all(plugins):
    manager = PytestPluginManager()
    for plugin in plugins or (): manager.register(plugin)
    config = Bag(pluginmanager=manager, hook=manager.hook, option=Bag(collectonly=False))
    if '--worker' in sys.argv: config.workerinput = {}
    return config.hook.pytest_cmdline_main(config=config)
`;

const BEGINS: readonly (readonly [version: string, main: string, console: string])[] = [
  [
    '7 and 8, where the program calls main',
    `def main(args=None, plugins=None):
    return run_all(plugins)
def console_main():
    return main()`,
    'console_main',
  ],
  [
    '9.1, where the program calls what is behind main',
    `def main(args=None, plugins=None):
    return _main(args=args, plugins=plugins, prog='pytest.main()')
def _main(*, args=None, plugins=None, prog):
    return run_all(plugins)
def _console_main():
    return _main(prog='pytest')`,
    '_console_main',
  ],
  [
    'to come, where main takes more and the program begins by itself',
    `def main(args=None, plugins=None, *, more=0):
    return run_all(plugins) + more
def begin():
    return run_all(())`,
    'begin',
  ],
];

const GOOD = 'def test_a():\n    pass\n';
const BAD = `${GOOD}def test_b():\n    assert False\n`;
const COUNTED = { passed: 1, failed: 0, skipped: 0, runners: ['pytest'] };

for (const [version, main, begin] of BEGINS)
  describe(`a run of pytest ${version}`, { timeout: 600_000, skip }, () => {
    const program = `import sys\nfrom _pytest.config import ${begin}\nsys.exit(${begin}())\n`;
    const own = {
      '_pytest/__init__.py': '',
      '_pytest/config/__init__.py': `${CONFIG}\n${main}\n`,
      'pytest/__init__.py': 'from _pytest.config import hookimpl, main\n',
      'pytest/__main__.py': program,
      'bin/pytest': `import os, sys\nsys.path.insert(0, os.getcwd())\n${program}`,
      'run.py': `import sys, pytest\nsys.exit(pytest.main([], ${version.startsWith('to come') ? '[], more=0' : '[]'}))\n`,
    };
    const ways = [['-m', 'pytest'], ['bin/pytest'], ['run.py']];
    const run = (args: readonly string[], tests: string) =>
      runReported({
        command: [python, ...args],
        files: { ...own, 'test_a.py': tests },
        expected: args[0] === 'run.py' ? [] : ['pytest'],
      });
    for (const args of ways) {
      test(`is counted by \`python ${args.join(' ')}\``, async () => {
        const { exit, reds, counted, output } = await run(args, GOOD);
        assert.deepEqual([exit, reds, counted], [0, [], COUNTED], output);
      });

      test(`has the names of its failed tests by \`python ${args.join(' ')}\``, async () => {
        const { exit, reds, counted, output } = await run(args, BAD);
        const failing = { ...COUNTED, failed: 1, failing: ['test_a.py::test_b'] };
        assert.deepEqual([exit, reds, counted], [1, ['1 test of pytest failed'], failing], output);
      });
    }

    test('counts nothing in a worker of another run', async () => {
      const { counted } = await runReported({
        command: [python, 'run-worker.py', '--worker'],
        files: { ...own, 'run-worker.py': program, 'test_a.py': BAD },
        expected: [],
      });
      assert.ok((counted?.failed ?? 0) === 0);
    });
  });
