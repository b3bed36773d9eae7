import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shellWords } from '../../base/shell-words.ts';
import { findNothingToRun } from './nothing-to-run.ts';

type Counted = { readonly passed: number; readonly failed: number; readonly skipped: number };

const noModule = (...required: readonly string[]): string =>
  [
    'node:internal/modules/cjs/loader:1568',
    "Error: Cannot find module '/home/ada/shop/nope.mjs'",
    '    at node:internal/main/check_syntax:33:20 {',
    "  code: 'MODULE_NOT_FOUND',",
    `  requireStack: [${required.join(', ')}]`,
    '}',
  ].join('\n');

const NO_SUITE = [
  'ERROR: nosuch (unittest.loader._FailedTest.nosuch)',
  'ImportError: Failed to import test module: nosuch',
  "ModuleNotFoundError: No module named 'nosuch'",
  'Ran 1 test in 0.000s',
].join('\n');

const UNKNOWN = [
  'Unknown command: "tset"',
  'Did you mean this?',
  '  npm set # Set a value in the npm configuration',
  'To see a list of supported npm commands, run:',
  '  npm help',
].join('\n');

const many = (line: string): string => Array.from({ length: 40 }, () => line).join('\n');

describe('a gate that ended with an error', () => {
  // The last column is what is missing: its kind and its name. Null: the gate ran, and is red.
  const cases: readonly (readonly [
    why: string,
    command: string,
    exit: number,
    printed: string,
    missing: string | null,
  ])[] = [
    ['names no command of npm', 'npm tset', 1, UNKNOWN, 'script tset'],
    ['names no script', 'npm run tset', 1, 'npm error Missing script: "tset"', 'script tset'],
    ['names no script, to an old npm', 'npm run a', 1, 'npm ERR! Missing script: "a"', 'script a'],
    [
      'names no script, to pnpm',
      'pnpm run tset',
      1,
      'ERR_PNPM_NO_SCRIPT  Missing script: tset',
      'script tset',
    ],
    ['names no script, to yarn', 'yarn tset', 1, 'error Command "tset" not found.', 'script tset'],
    [
      'names no script, to a later yarn',
      'yarn tset',
      1,
      'Usage Error: Couldn\'t find a script named "tset".',
      'script tset',
    ],
    ['names no script, to bun', 'bun run a', 1, 'error: Script not found "a"', 'script a'],
    [
      'names no script, to node',
      'node --run tset',
      1,
      'Missing script: "tset" for /home/ada/package.json\n\nAvailable scripts are:\n  test: node --test',
      'script tset',
    ],
    [
      'names no package, and the registry says so',
      'npx nosuch',
      1,
      "npm error code E404\nnpm error 404  The requested resource 'nosuch@*' could not be found or you do not have permission to access it.",
      'package nosuch',
    ],
    [
      'names no installed package, and has no network',
      'npx nosuch',
      1,
      'npm error code EAI_AGAIN\nnpm error request to https://registry.example/nosuch failed, reason: getaddrinfo EAI_AGAIN',
      'package nosuch',
    ],
    [
      'names no installed package, and may not install it',
      'npx nosuch',
      1,
      'npm error npx canceled due to missing packages and no YES option: ["nosuch@1.0.0"]',
      'package nosuch',
    ],
    [
      'names no target',
      'make tset',
      2,
      "make: *** No rule to make target 'tset'.  Stop.",
      'target tset',
    ],
    [
      'has a rule that needs a missing file',
      'make test',
      2,
      "make: *** No rule to make target 'gone.c', needed by 'test'.  Stop.",
      null,
    ],
    [
      'has a rule whose program is missing',
      'make test',
      2,
      'make: nmp: No such file or directory\nmake: *** [Makefile:2: test] Error 127',
      '',
    ],
    ['has a rule that fails', 'make test', 2, 'make: *** [Makefile:2: test] Error 1', null],
    [
      'names no recipe',
      'just tset',
      1,
      'error: Justfile does not contain recipe `tset`.',
      'target tset',
    ],
    ['names no module', 'python -m pytset', 1, 'python: No module named pytset', 'module pytset'],
    [
      'names a module that is not installed',
      'python3 -m pytest -q',
      1,
      '/usr/bin/python3.12: No module named pytest',
      'module pytest',
    ],
    ['names no suite of tests', 'python3 -m unittest nosuch', 1, NO_SUITE, 'module nosuch'],
    ['has a suite that imports a missing module', 'python3 -m unittest', 1, NO_SUITE, null],
    [
      'has an option of a plugin that is not installed',
      'pytest --cov=src',
      4,
      'ERROR: usage: pytest [options]\npytest: error: unrecognized arguments: --cov=src',
      '',
    ],
    [
      'names no file of tests',
      'pytest tests/test_a.py',
      4,
      'ERROR: file or directory not found: tests/test_a.py',
      'file tests/test_a.py',
    ],
    [
      'names no file of Python',
      'python3 nope.py',
      2,
      "python3: can't open file '/home/ada/shop/nope.py': [Errno 2] No such file or directory",
      'file nope.py',
    ],
    ['names no file of node', 'node nope.mjs', 1, noModule(), 'file nope.mjs'],
    ['names no file to check', 'node --check ./nope.mjs', 1, noModule(), 'file ./nope.mjs'],
    ['has a file that requires a missing one', 'node check.mjs', 1, noModule("'a.mjs'"), null],
    [
      'names no file of tests, to node',
      'node --test a.js',
      1,
      "Could not find 'a.js'",
      'file a.js',
    ],
    [
      'names no script of the shell',
      'sh a.sh',
      2,
      'sh: 0: cannot open a.sh: No such file',
      'file a.sh',
    ],
    [
      'names no command of cargo',
      'cargo tset',
      101,
      'error: no such command: `tset`',
      'subcommand tset',
    ],
    ['names no command of go', 'go tset', 2, 'go tset: unknown command', 'subcommand tset'],
    [
      'names no script inside a shell',
      "sh -c 'cd web && npm run tset'",
      1,
      'npm error Missing script: "tset"',
      'script tset',
    ],
    [
      'starts a script whose module is not installed',
      'npm test',
      1,
      '> python3 -m pytest\n/usr/bin/python3: No module named pytest',
      'module pytest',
    ],
    [
      'printed such a line long before its end',
      'npm test',
      1,
      `python3: No module named pytest\n${many('not ok')}`,
      null,
    ],
    [
      'is a program whose output quotes another tool',
      'pytest',
      1,
      'npm error Missing script: "tset"',
      null,
    ],
    [
      'has a script that starts no module',
      'python3 check.py',
      1,
      'python3: No module named a',
      null,
    ],
    ['prints about a missing program', 'npm test', 1, 'x: not found', null],
    ['has failing tests', 'npm test', 1, 'not ok 1 - adds', null],
  ];
  for (const [why, command, exit, tail, missing] of cases)
    test(why, () => {
      const found = findNothingToRun({ command: shellWords(command) ?? [] }, { exit, tail });
      assert.equal(
        found === undefined ? null : Object.values(found.missing ?? {}).join(' '),
        missing,
      );
    });

  test('has run if a test of it passed or failed, whatever it printed', () => {
    const gate = { command: ['npm', 'test'] };
    const tail = '/usr/bin/python3: No module named pytest';
    const red = (counted: Counted): unknown =>
      findNothingToRun(gate, { exit: 1, tail, counted: { ...counted, runners: ['node'] } });
    assert.equal(red({ passed: 3, failed: 1, skipped: 0 }), undefined);
    assert.notEqual(red({ passed: 0, failed: 0, skipped: 0 }), undefined);
  });

  test('that Supervisor ended is red', () => {
    const tail = 'npm error Missing script: "tset"';
    assert.equal(findNothingToRun({ command: ['npm', 'tset'] }, { exit: null, tail }), undefined);
  });
});
