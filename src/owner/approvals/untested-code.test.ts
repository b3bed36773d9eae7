import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutTest } from './untested-code.ts';

type Case = [why: string, files: Record<string, string>, changed: string[], untested: string[]];

const CASES: Case[] = [
  [
    'that a test imports is tested',
    { 'cart.ts': '', 'test/prices.test.ts': "import { total } from '../cart.ts';" },
    ['cart.ts'],
    [],
  ],
  [
    'with a test of its name is tested, whatever the test says',
    { 'src/cart.js': '', 'test/cart.test.js': '1' },
    ['src/cart.js'],
    [],
  ],
  [
    'of Python too',
    { 'app/user_service.py': '', 'tests/test_user_service.py': '' },
    ['app/user_service.py'],
    [],
  ],
  [
    'that tested code uses is tested',
    {
      'src/cart.ts': "import './money/round.ts';",
      'src/money/round.ts': '',
      'src/cart.test.ts': "import './cart.ts';",
    },
    ['src/money/round.ts'],
    [],
  ],
  [
    'of a folder is used by the name of the folder',
    { 'src/money/index.ts': '', 'src/a.test.ts': "import './money';" },
    ['src/money/index.ts'],
    [],
  ],
  [
    'that no test leads to is untested',
    {
      'src/cart.ts': '',
      'src/orphan.ts': "import './cart.ts';",
      'src/cart.test.ts': "import './cart.ts';",
    },
    ['src/cart.ts', 'src/orphan.ts'],
    ['src/orphan.ts'],
  ],
  [
    'is not tested by a file that only contains its name',
    { 'sum.mjs': '', 'a.test.mjs': 'const summary = 1;' },
    ['sum.mjs'],
    ['sum.mjs'],
  ],
  ['is untested in a project without tests', { 'sum.mjs': '' }, ['sum.mjs'], ['sum.mjs']],
];

for (const [why, files, changed, untested] of CASES)
  test(`changed code ${why}`, () => {
    const all = Object.entries(files).map(([path, text]) => ({ path, text }));
    assert.deepEqual(withoutTest(changed, all), untested);
  });
