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
  [
    'is not tested by a variable, a word or a title of its name',
    {
      'sum.mjs': '',
      'invoice.js': 'let sum = 0; sum += 1; // the sum\n',
      'a.test.mjs': "import './invoice.js';\ntest('adds a sum', () => {});\nlog('sum');",
    },
    ['sum.mjs'],
    ['sum.mjs'],
  ],
  [
    'is not tested by a test of another name that has its name as a part',
    { 'sum.mjs': '', 'user-sum.test.mjs': '' },
    ['sum.mjs'],
    ['sum.mjs'],
  ],
  ...[
    "export { sum } from '../sum.mjs';",
    "const sum = await import('../sum.mjs');",
    'const { add } = require("../sum");',
    "jest.mock('@/sum', () => ({}));",
    "import {\n  one,\n  two,\n} from '../dist/sum.js';",
    "spawn('node', ['bin/sum.mjs', '5']);",
    'execSync(`node ${root}/bin/sum.mjs --all`);',
    "new Worker(new URL('../bin/sum.mjs', import.meta.url));",
  ].map((text): Case => [
    `is tested by a test with \`${text.replaceAll('\n', ' ')}\``,
    { 'bin/sum.mjs': '', 'test/a.test.mjs': text },
    ['bin/sum.mjs'],
    [],
  ]),
  ...[
    'import shop.prices',
    'import os, shop.prices as p',
    'from shop.prices import total',
    'from shop import prices',
    'from shop import (\n    carts,\n    prices,\n)',
    "module = importlib.import_module('shop.prices')",
    "@patch('shop.prices.total')",
    "subprocess.run(['python', 'shop/prices.py'])",
  ].map((text): Case => [
    `of Python is tested by a test with \`${text.replaceAll('\n', ' ')}\``,
    { 'shop/prices.py': '', 'tests/test_a.py': text },
    ['shop/prices.py'],
    [],
  ]),
  [
    'of Python is tested by code beside it that a test imports',
    {
      'shop/prices.py': '',
      'shop/carts.py': 'from . import prices',
      'tests/test_a.py': 'import shop.carts',
    },
    ['shop/prices.py'],
    [],
  ],
  ...['prices = 3', 'from shop.carts import prices', '# see prices\nprint("prices")'].map(
    (text): Case => [
      `of Python is not tested by a test with \`${text.replaceAll('\n', ' ')}\``,
      { 'shop/prices.py': '', 'tests/test_a.py': text },
      ['shop/prices.py'],
      ['shop/prices.py'],
    ],
  ),
  [
    'of the whole package is tested by an import of its folder',
    { 'src/index.ts': '', 'index.js': '', 'test/a.test.js': "import '../src';\nimport '..';" },
    ['src/index.ts', 'index.js'],
    [],
  ],
  ...[
    `// don't\nspawn("bin/sum.mjs");`,
    `// it's for "bin/sum.mjs"`,
    String.raw`run('it\'s', "bin/sum.mjs", 'and \\', 'more')`,
  ].map((text): Case => [
    `is tested by a test with the quotes of ${text}`,
    { 'bin/sum.mjs': '', 'test/a.test.mjs': text },
    ['bin/sum.mjs'],
    [],
  ]),
  [
    'of Python is tested by an import whose list has a remark',
    { 'shop/prices.py': '', 'tests/test_a.py': 'from shop import (\n  prices,  # (old)\n  carts)' },
    ['shop/prices.py'],
    [],
  ],
  [
    'is not tested by a line that no person has written',
    { 'sum.mjs': '', 'a.test.mjs': `import './sum.mjs';${' '.repeat(10_000)}` },
    ['sum.mjs'],
    ['sum.mjs'],
  ],
  [
    'is not tested by a file that no person has written',
    { 'sum.mjs': '', 'a.test.mjs': `import './sum.mjs';${'\n'.repeat(200_000)}` },
    ['sum.mjs'],
    ['sum.mjs'],
  ],
  ['is untested in a project without tests', { 'sum.mjs': '' }, ['sum.mjs'], ['sum.mjs']],
];

for (const [why, files, changed, untested] of CASES)
  test(`changed code ${why}`, async () => {
    const all = Object.entries(files).map(([path, text]) => ({ path, text }));
    assert.deepEqual(await withoutTest(changed, all), untested);
  });

test('the owner can do other work before the next file', async () => {
  const steps: string[] = [];
  const files = [1, 2].map((each) => ({ path: `${each}.test.mjs`, text: '' }));
  setImmediate(() => {
    steps.push('other work');
    setImmediate(() => steps.push('more of it'));
  });
  await withoutTest([], files);
  assert.deepEqual(steps, ['other work', 'more of it']);
});
