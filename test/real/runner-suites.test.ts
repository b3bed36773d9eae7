/** Suites of real jest, vitest and mocha: honest ones stay green and are counted, and failed tests have names. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Files, Runner } from './report-run.ts';
import { needs, runReported } from './report-run.ts';

/** Two tests that pass and two that are skipped, for jest and mocha. */
const FOUR =
  "it('a', () => {});\ndescribe('s', () => { it('b', () => {}); it.skip('c', () => {}); TODO });\n";
const JEST = FOUR.replace('TODO', "it.todo('d');");
const MOCHA = FOUR.replace('TODO', "it('d');");
/** For vitest, with types and one more test that passes. */
const VITEST = `import { describe, it } from 'vitest';\n${FOUR.replace('TODO', "it.todo('d'); it.fails('e', (): never => { throw new Error('as expected'); });")}`;
const FAILS = "it('fails', () => { throw new Error('no'); });\n";
/** A test of a program that starts a test runner, which must fail. */
const STARTS = (line: string): string =>
  `it('a', () => { if (require('child_process').spawnSync(${JSON.stringify(line)}, { shell: true }).status === 0) throw new Error('green'); }, 60_000);\n`;

type Row = readonly [
  why: string,
  line: string,
  files: Files,
  passed: number,
  skipped: number,
  says?: string,
];

const ROWS: Readonly<Record<Runner, readonly Row[]>> = {
  jest: [
    ['of several files in workers', 'jest -w 2', { 'a.test.js': JEST, 'b.test.js': JEST }, 4, 4],
    ['in one process', 'jest --runInBand', { 'a.test.js': JEST, 'b.test.js': JEST }, 4, 4],
    [
      'with coverage and a reporter of its own',
      'jest --coverage',
      {
        'jest.config.cjs': "module.exports = { reporters: ['./mine.cjs', 'default'] };",
        'mine.cjs': "module.exports = class { onRunComplete() { console.log('reported'); } };",
        'a.test.js': JEST,
      },
      2,
      2,
      'reported',
    ],
    [
      'of ES modules, with NODE_OPTIONS set anew',
      'NODE_OPTIONS=--experimental-vm-modules jest',
      {
        'package.json': '{ "type": "module" }',
        'a.test.js': "import { it } from '@jest/globals';\nawait null;\nit('a', () => {});\n",
      },
      1,
      0,
    ],
    [
      'that node starts by its path',
      'node --experimental-vm-modules node_modules/jest/bin/jest.js',
      { 'a.test.js': JEST },
      2,
      2,
    ],
    ['without a test', 'jest --passWithNoTests', {}, 0, 0],
    [
      'that starts another one',
      'jest a.test',
      { 'a.test.js': STARTS('jest b.test'), 'b.test.js': FAILS },
      1,
      0,
    ],
    [
      'that another program starts, as react-scripts does',
      'node react-scripts/scripts/test.js a.test',
      {
        'react-scripts/scripts/test.js': "require('jest').run(process.argv.slice(2));",
        'a.test.js': JEST,
      },
      2,
      2,
    ],
    ['only listed', 'jest --listTests && jest a.test', { 'a.test.js': JEST }, 2, 2],
  ],
  vitest: [
    ['in forks', 'vitest run --pool=forks', { 'a.test.ts': VITEST, 'b.test.ts': VITEST }, 6, 4],
    ['in threads', 'vitest run --pool=threads', { 'a.test.ts': VITEST, 'b.test.ts': VITEST }, 6, 4],
    [
      'in contexts',
      'vitest run --pool=vmForks',
      { 'a.test.ts': VITEST, 'b.test.ts': VITEST },
      6,
      4,
    ],
    [
      'with coverage and reporters of its own',
      'vitest --coverage',
      {
        'vitest.config.ts':
          "export default { test: { reporters: ['./mine.ts', ['junit', { outputFile: 'out.xml' }]] } };",
        'mine.ts': "export default class { onTestRunEnd(): void { console.log('reported'); } }",
        'a.test.ts': VITEST,
      },
      3,
      2,
      'reported',
    ],
    [
      'with NODE_OPTIONS set anew, of one share',
      'NODE_OPTIONS=--no-warnings vitest run --shard=1/2',
      { 'a.test.ts': VITEST, 'b.test.ts': VITEST },
      3,
      2,
    ],
    ['of tests by name', 'vitest run -t a$', { 'a.test.ts': VITEST }, 1, 4],
    ['without a test', 'vitest run --passWithNoTests', {}, 0, 0],
    [
      'that starts another one',
      'vitest run a.test',
      {
        'a.test.ts': `import { createRequire } from 'node:module';\nimport { it } from 'vitest';\nconst require = createRequire(import.meta.url);\n${STARTS('vitest run b.test')}`,
        'b.test.ts': `import { it } from 'vitest';\n${FAILS}`,
      },
      1,
      0,
    ],
    ['only listed', 'vitest list && vitest run', { 'a.test.ts': VITEST }, 3, 2],
  ],
  mocha: [
    ['of several files', 'mocha', { 'test/a.js': MOCHA, 'test/b.js': MOCHA }, 4, 4],
    ['in parallel', 'mocha --parallel', { 'test/a.js': MOCHA, 'test/b.js': MOCHA }, 4, 4],
    [
      'of ES modules, with a reporter of its own',
      'mocha --reporter ./mine.cjs',
      {
        'mine.cjs':
          "module.exports = function (runner) { runner.on('end', () => console.log('reported')); };",
        'test/a.mjs': `await null;\n${MOCHA}`,
      },
      2,
      2,
      'reported',
    ],
    [
      'with flags for node',
      'mocha --import=./first.mjs',
      {
        'first.mjs': 'globalThis.first = true;',
        'test/a.js': `${MOCHA}it('e', () => { if (!first) throw new Error('not loaded'); });`,
      },
      3,
      2,
    ],
    [
      'that skips tests from hooks',
      'mocha',
      {
        'test/a.js':
          "describe('o', () => { before(function () { this.skip(); }); it('a', () => {}); describe('i', () => { it('b', () => {}); }); });\ndescribe('p', () => { beforeEach(function () { this.skip(); }); it('c', () => {}); });\nit('d', () => {});",
      },
      1,
      3,
    ],
    [
      'of tests by name, with one that is tried again',
      'mocha -g a --retries 1',
      {
        'test/a.js':
          "let tries = 0;\nit('a', () => { if (tries++ === 0) throw new Error('no'); });\nit('b', () => {});",
      },
      1,
      0,
    ],
    ['without a test', 'mocha', { 'test/a.js': '' }, 0, 0],
    [
      'that starts another one',
      'mocha --timeout 60000',
      { 'test/a.js': STARTS('mocha b.js').replace(', 60_000', ''), 'b.js': FAILS },
      1,
      0,
    ],
    ['only asked', 'mocha --version && mocha', { 'test/a.js': MOCHA }, 2, 2],
  ],
};

const options = { timeout: 300_000, concurrency: 2, ...needs('jest', 'vitest', 'mocha') };

for (const runner of ['jest', 'vitest', 'mocha'] as const)
  describe(`an honest suite of ${runner}`, options, () => {
    for (const [why, line, files, passed, skipped, says = ''] of ROWS[runner])
      test(`${why} is green and counted`, async () => {
        const { exit, reds, counted, said: output } = await runReported(runner, line, files);
        assert.deepEqual([exit, reds], [0, []], output);
        assert.deepEqual(counted, { passed, failed: 0, skipped, runners: [runner] }, output);
        assert.ok(output.includes(says), output);
      });
  });

/** One test of two fails, in a group. */
const ONE_FAILS =
  "describe('cart', () => { it('adds', () => { throw new Error('no'); }); it('sorts', () => {}); });\n";
const BROKEN = "throw new Error('at its import');\n";

type Named = readonly [line: string, files: Files, failing: readonly string[]];
const NAMES: Readonly<Record<Runner, Named>> = {
  jest: [
    'jest',
    { 'a.test.js': ONE_FAILS, 'b.test.js': BROKEN },
    ['a.test.js: cart adds', 'b.test.js'],
  ],
  vitest: [
    'vitest run',
    {
      'a.test.mjs': `import { describe, it } from 'vitest';\n${ONE_FAILS}`,
      'b.test.mjs': BROKEN,
    },
    ['a.test.mjs: cart > adds', 'b.test.mjs'],
  ],
  mocha: ['mocha', { 'test/a.js': ONE_FAILS }, ['test/a.js: cart adds']],
};

for (const runner of ['jest', 'vitest', 'mocha'] as const)
  describe(`the failed tests of ${runner}`, options, () => {
    test('have their names, below their file, and a file that can not be loaded has its own', async () => {
      const [line, files, failing] = NAMES[runner];
      const { exit, counted, said: output } = await runReported(runner, line, files);
      assert.notEqual(exit, 0, output);
      assert.deepEqual(counted?.failing, failing, output);
    });
  });
