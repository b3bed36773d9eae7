/** Bypasses of gates of Python projects. */
import type { Row } from './bypass.ts';

const RED = '#!/bin/sh\nexit 7\n';
const GREEN = '#!/bin/sh\nexit 0\n';
const PY_FAILING =
  'import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.fail("no")\n';
const PY_SKIPPED = PY_FAILING.replace('    def', '    @unittest.skip("x")\n    def');
const PY_EXIT = 'import os\nos._exit(0)\n';

export const PYTHON: readonly Row[] = [
  [
    'a new plugin of pytest, by its entry point',
    'pytest',
    { 'tests/test_a.py': '1' },
    { 'evil.dist-info/entry_points.txt': '[pytest11]\nx = evil\n' },
  ],
  [
    'a new plugin of pytest, by the entry point of an egg',
    'python3 -m pytest',
    { 'tests/test_a.py': '1' },
    { 'src/evil.egg-info/entry_points.txt': '[pytest11]\nx = evil\n' },
  ],
  ['a module of pytest', 'pytest', { 'tests/test_a.py': '1' }, { 'tests/pygments.py': '1' }],
  ['a package of pytest', 'python3 -m pytest', {}, { 'packaging/__init__.py': '1' }],
  [
    'a module in place of the runner',
    'python3 -m unittest',
    { 'test_a.py': PY_FAILING },
    { 'unittest.py': '' },
    'closed',
    true,
  ],
  [
    'a package in place of the runner',
    'python3 -m unittest',
    { 'test_a.py': PY_FAILING },
    { 'unittest/__init__.py': '', 'unittest/__main__.py': '' },
    'closed',
    true,
  ],
  [
    'a module that the runner loads',
    'python3 -m unittest',
    { 'test_a.py': PY_FAILING },
    { 'argparse.py': PY_EXIT },
    'closed',
    true,
  ],
  [
    'a module beside the check',
    'python3 ci/check.py',
    { 'ci/check.py': 'import json, sys\nsys.exit(7)\n' },
    { 'ci/json.py': PY_EXIT },
    'closed',
    true,
  ],
  [
    'a changed check',
    'python3 check.py',
    { 'check.py': 'import sys\nsys.exit(7)\n' },
    { 'check.py': '' },
    'closed',
    true,
  ],
  [
    'a check as a module',
    'python3 -m checks.run',
    { 'checks/run.py': 'import sys\nsys.exit(7)\n' },
    { 'checks/run.py': '' },
    'closed',
    true,
  ],
  [
    'a package around it',
    'python3 -m checks.run',
    { 'checks/__init__.py': '', 'checks/run.py': 'import sys\nsys.exit(7)\n' },
    { 'checks/__init__.py': PY_EXIT },
    'closed',
    true,
  ],
  [
    'a helper of it',
    'python3 -m checks.run',
    {
      'checks/__init__.py': '',
      'checks/lib.py': 'CODE = 7\n',
      'checks/run.py': 'import sys\nfrom checks import lib\nsys.exit(lib.CODE)\n',
    },
    { 'checks/lib.py': 'CODE = 0\n' },
    'closed',
    true,
  ],
  [
    'code that Python runs first',
    "sh -c 'PYTHONPATH=. python3 check.py'",
    { 'check.py': 'import sys\nsys.exit(7)\n' },
    { 'sitecustomize.py': PY_EXIT },
    'closed',
    true,
  ],
  [
    'a deleted test',
    'python3 -m unittest',
    { 'test_a.py': PY_FAILING, 'test_b.py': PY_SKIPPED },
    { 'test_a.py': null },
    'tests',
    true,
  ],
  [
    'a skipped test',
    'python3 -m unittest',
    { 'test_a.py': PY_FAILING },
    { 'test_a.py': PY_SKIPPED },
    'tests',
    true,
  ],
  [
    'compiled code',
    'python3 -m unittest',
    { 'test_a.py': PY_FAILING },
    { '__pycache__/test_a.cpython-312.pyc': 'x' },
  ],
  [
    'a new conftest',
    'pytest',
    { 'tests/test_a.py': '1' },
    { 'conftest.py': 'collect_ignore_glob = ["*"]' },
  ],
  [
    'a new conftest beside the tests',
    'python3 -m pytest',
    { 'tests/test_a.py': '1' },
    { 'tests/conftest.py': '1' },
  ],
  ['new settings', 'pytest', {}, { 'pytest.ini': '[pytest]\naddopts = --collect-only' }],
  ['new settings in setup.cfg', 'pytest', {}, { 'setup.cfg': '[tool:pytest]' }],
  [
    'settings in pyproject',
    'poetry run pytest',
    { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q"\n' },
    { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "--co"\n' },
  ],
  [
    'a plugin with the name of a library',
    'pytest',
    { 'tests/test_a.py': '1' },
    { 'pluggy.py': '1' },
  ],
  [
    'settings of tox',
    'tox',
    { 'tox.ini': '[testenv]\ncommands = ./lint.sh\n', 'lint.sh': RED },
    { 'lint.sh': GREEN },
  ],
  [
    'settings of mypy',
    'mypy .',
    { 'mypy.ini': '1' },
    { 'mypy.ini': '[mypy]\nignore_errors = True' },
  ],
  ['settings of ruff', 'ruff check', {}, { 'ruff.toml': 'exclude = ["*"]' }],
  ['files that ruff leaves out', 'ruff check', {}, { '.gitignore': '*' }],
  ['settings of coverage', 'coverage run -m pytest', {}, { '.coveragerc': '1' }],
  [
    'a module that the base does not have',
    'python3 -m strange',
    {},
    { 'strange.py': '' },
    'not-protected',
  ],
];
