/** Code under real jest, vitest and mocha that ends the test runner, or hides a failure from it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Files, Runner } from './report-run.ts';
import { needs, runReported } from './report-run.ts';

/** A body of a test file, where `it` makes a test and `before` a hook. */
const BAD = "it('fails', () => { throw new Error('no'); });\n";

/** Each makes the exit code of at least one runner 0. */
const BYPASSES: Readonly<Record<string, string>> = {
  'ends at its import': `${BAD}process.exit(0);\n`,
  'ends in a test': `it('ends', () => { process.exit(0); });\n${BAD}`,
  'ends in a hook': `before(() => { process.exit(0); });\n${BAD}`,
  'ends in a timer': `setTimeout(() => process.exit(0), 5);\nit('waits', () => new Promise((done) => setTimeout(done, 1500)));\n${BAD}`,
  'ends without saying so': `it('ends', () => { process.reallyExit(0); });\n${BAD}`,
  'is killed': `it('ends', () => { process.kill(process.pid, 'SIGKILL'); });\n${BAD}`,
  'sets its exit code at the end': `process.on('exit', () => { process.exitCode = 0; });\n${BAD}`,
  'ends again while it ends': `process.on('exit', () => process.exit(0));\n${BAD}`,
  'has its failure hidden by the command': BAD,
};

const SOME = new Set(['ends at its import', 'ends without saying so', 'ends again while it ends']);

type Way = readonly [runner: Runner, line: string, bypasses?: ReadonlySet<string>];

const WAYS: readonly Way[] = [
  ['jest', 'jest --runInBand'],
  ['jest', 'jest --maxWorkers=2', SOME],
  ['vitest', 'vitest run --pool=forks'],
  ['vitest', 'vitest run --pool=threads', SOME],
  ['vitest', 'vitest run --pool=vmThreads', SOME],
  ['mocha', 'mocha'],
  ['mocha', 'mocha --parallel', SOME],
  ['mocha', 'mocha --enable-source-maps', SOME],
];

/** A second file passes, so that each runner has more than the red file. */
function suite(runner: Runner, body: string): Files {
  switch (runner) {
    case 'jest':
      return {
        'a.test.js': `const before = beforeAll;\n${body}`,
        'b.test.js': "it('b', () => {});",
      };
    case 'vitest': {
      const names = "import { beforeAll as before, it } from 'vitest';\n";
      return { 'a.test.ts': `${names}${body}`, 'b.test.ts': `${names}it('b', () => {});` };
    }
    case 'mocha':
      return { 'test/a.js': body, 'test/b.js': "it('b', () => {});" };
  }
}

const options = { timeout: 300_000, concurrency: 2, ...needs('jest', 'vitest', 'mocha') };

describe('code under test that ends or hides', options, () => {
  for (const [runner, line, bypasses] of WAYS)
    for (const [what, body] of Object.entries(BYPASSES))
      if (bypasses === undefined || bypasses.has(what))
        test(`${line}: a file that ${what} is red`, async () => {
          const {
            exit,
            reds,
            said: output,
          } = await runReported(runner, `${line} || true`, suite(runner, body));
          assert.equal(exit, 0, output);
          assert.notDeepEqual(reds, [], output);
        });
});

describe('files that a main process loads', options, () => {
  const rows: readonly (readonly [runner: Runner, what: string, line: string, files: Files])[] = [
    ['jest', 'a setup', 'jest --globalSetup=./setup.cjs', { 'setup.cjs': 'process.exit(0);' }],
    [
      'vitest',
      'a setup',
      'vitest run',
      {
        'vitest.config.ts': "export default { test: { globalSetup: './setup.ts' } };",
        'setup.ts': 'process.exit(0);',
      },
    ],
    ['mocha', 'a setting', 'mocha', { '.mocharc.cjs': 'process.exit(0);' }],
    [
      'mocha',
      'a mocha of its own',
      'mocha',
      {
        'other.js': "it('passes', () => {});",
        'test/0.js':
          "require('child_process').spawn('node', ['node_modules/mocha/lib/cli/cli.js', 'other.js']).on('exit', () => process.exit(0));\nbefore(() => new Promise((done) => setTimeout(done, 60_000)));",
      },
    ],
  ];
  for (const [runner, what, line, files] of rows)
    test(`${runner}: ${what} that ends it is red`, async () => {
      const {
        exit,
        reds,
        said: output,
      } = await runReported(runner, line, {
        ...suite(runner, BAD),
        ...files,
      });
      assert.equal(exit, 0, output);
      assert.match(reds.join('; '), /ended early/, output);
    });

  test('jest: results that a setting replaces are red', async () => {
    const {
      exit,
      reds,
      said: output,
    } = await runReported('jest', 'jest', {
      ...suite('jest', BAD),
      'jest.config.cjs': "module.exports = { testResultsProcessor: './results.cjs' };",
      'results.cjs':
        'module.exports = (results) => ({ ...results, success: true, numFailedTests: 0 });',
    });
    assert.deepEqual([exit, reds], [0, ['1 test of jest failed']], output);
  });
});
