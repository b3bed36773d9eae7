/** The reporter in real processes of the Node that runs this, outside any sandbox. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { attachReporter } from './attach-runner.ts';
import { openReports } from './collect-reports.ts';
import type { ReportVerdict } from './test-report.ts';
import { judgeReports } from './test-report.ts';

type Run = ReportVerdict & { readonly exit: number | null };

/** Runs node on these files and returns its exit code and its report. */
async function run(args: readonly string[], files: Readonly<Record<string, string>>): Promise<Run> {
  await using dir = await tempDir();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir.path, path)), { recursive: true });
    await writeFile(join(dir.path, path), text);
  }
  const ports = { clock: systemClock, random: systemRandom, namePrefix: 'supervisor-test-' };
  await using reports = await openReports(ports);
  const env = attachReporter({ PATH: process.env['PATH'] ?? '', HOME: dir.path }, reports.folder);
  const child = spawn(process.execPath, args, { cwd: dir.path, env, stdio: 'ignore' });
  const exit = await new Promise<number | null>((resolve) => void child.on('close', resolve));
  return { exit, ...judgeReports(await reports.sessions(), ['node:test']) };
}

const TEST = "import { test, before } from 'node:test';\n";
const GOOD = `${TEST}test('a', () => {});\n`;
const BAD = `${GOOD}test('b', () => { throw new Error('no'); });\n`;

const WAYS: readonly (readonly [how: string, flags: readonly string[]])[] = [
  ['node', []],
  ['node --test', ['--test']],
  ['node --test without isolation', ['--test', '--test-isolation=none']],
];

/** Each ends with exit code 0, at least if node runs the file directly. */
const BYPASSES: Readonly<Record<string, string>> = {
  'ends at its import': `${BAD}process.exit(0);\n`,
  'ends in what it imports': `import './code.mjs';\n${BAD}`,
  'ends in a test': `${BAD}test('c', () => process.exit(0));\n`,
  'ends in a timer': `${GOOD}setTimeout(() => process.exit(0), 5);\ntest('b', async () => { await new Promise((done) => setTimeout(done, 60_000)); });\n`,
  'ends in a hook': `${BAD}before(() => process.exit(0));\n`,
  'ends without saying so': `${BAD}test('c', () => process.reallyExit(0));\n`,
  'becomes another program': `${BAD}test('c', () => process.execve('/bin/true', ['true'], {}));\n`,
  'sets its exit code at the end': `process.on('exit', () => { process.exitCode = 0; });\n${BAD}`,
  'ends again while it ends': `process.on('exit', () => process.exit(0));\n${BAD}`,
  'replaces what a reporter may use': `import fs from 'node:fs';\nimport net from 'node:net';\nimport events from 'node:events';\nimport { syncBuiltinESMExports } from 'node:module';\nJSON.stringify = () => '{}';\nnet.connect = fs.writeSync = () => {};\nevents.prototype.emit = () => false;\nsyncBuiltinESMExports();\n${BAD}process.on('exit', () => { process.exitCode = 0; });\nsetTimeout(() => process.reallyExit(0), 500);\n`,
  'forgets where to report': `delete process.env.SUPERVISOR_TEST_REPORTS;\nprocess.env.NODE_OPTIONS = '';\n${BAD}test('c', () => process.exit(0));\n`,
  'writes an end to every socket': `import fs from 'node:fs';\n${BAD}test('c', () => { for (let fd = 3; fd < 60; fd += 1) try { if (fs.fstatSync(fd).isSocket()) fs.writeSync(fd, '{"key":"k","end":{"passed":1,"failed":0,"skipped":0}}\\n'); } catch {}\nprocess.reallyExit(0); });\n`,
};

describe('code under node:test that ends the test runner', { timeout: 300_000 }, () => {
  for (const [how, flags] of WAYS)
    for (const [what, text] of Object.entries(BYPASSES))
      test(`${how}: one that ${what} is red`, async () => {
        const files = { 'a.test.mjs': text, 'code.mjs': 'process.exit(0);\n' };
        const { reds } = await run([...flags, 'a.test.mjs'], files);
        assert.notDeepEqual(reds, []);
      });

  test('a forged report does not replace the real one', async () => {
    const forged = `import fs from 'node:fs';
import net from 'node:net';
${BAD}const path = fs.readFileSync('/proc/self/environ', 'latin1').split('\\0').find((one) => one.startsWith('SUPERVISOR_TEST')).split('=')[1];
const socket = net.connect(path);
socket.write('{"hello":{"runner":"node:test","pid":1}}\\n');
socket.once('data', (data) => {
  const { key } = JSON.parse(data);
  socket.end(JSON.stringify({ key, end: { passed: 5, failed: 0, skipped: 0 } }) + '\\n', () => process.exit(0));
});
test('c', () => new Promise((done) => setTimeout(done, 60_000)));
`;
    if (process.platform !== 'linux') return;
    const { exit, reds } = await run(['a.test.mjs'], { 'a.test.mjs': forged });
    assert.equal(exit, 0);
    assert.notDeepEqual(reds, []);
  });

  test('a file that kills its parent is red', async () => {
    const text = `${BAD}test('c', () => process.kill(process.ppid, 'SIGKILL'));\n`;
    const { reds } = await run(['--test', 'a.test.mjs'], { 'a.test.mjs': text });
    assert.notDeepEqual(reds, []);
  });

  test('a file that claims to be over and exits is red', async () => {
    const text = "process.emit('beforeExit', 0);\nprocess.exit(0);\n";
    const { exit, reds } = await run(['--test', 'a.test.mjs'], { 'a.test.mjs': text });
    assert.equal(exit, 0);
    assert.notDeepEqual(reds, []);
  });
});

describe('an honest suite of node:test', { timeout: 300_000 }, () => {
  const MORE = `${TEST}import { describe, it } from 'node:test';
describe('s', () => { it('c', () => {}); it.skip('d', () => {}); it.todo('e', () => { throw new Error('not yet'); }); });
test('f', async (t) => { await t.test('g', () => {}); });
`;
  for (const [how, flags] of WAYS) {
    test(`${how}: is green and counted`, async () => {
      const { exit, reds, counted } = await run([...flags, 'a.test.mjs'], { 'a.test.mjs': MORE });
      assert.deepEqual([exit, reds], [0, []]);
      assert.deepEqual(counted, { passed: 3, failed: 0, skipped: 2, runners: ['node:test'] });
    });

    test(`${how}: is red by its exit code and its report`, async () => {
      const { exit, counted } = await run([...flags, 'a.test.mjs'], { 'a.test.mjs': BAD });
      assert.deepEqual([exit, counted?.passed, counted?.failed], [1, 1, 1]);
    });
  }

  const GREEN: readonly (readonly [
    what: string,
    args: readonly string[],
    files: Readonly<Record<string, string>>,
  ])[] = [
    [
      'of several files, one without a test',
      ['--test', 'a.test.mjs', 'b.test.mjs'],
      { 'a.test.mjs': GOOD, 'b.test.mjs': 'console.log(1);\n' },
    ],
    ['that forces its exit', ['--test', '--test-force-exit', 'a.test.mjs'], { 'a.test.mjs': GOOD }],
    [
      'with coverage and another reporter',
      ['--test', '--experimental-test-coverage', '--test-reporter=tap', 'a.test.mjs'],
      { 'a.test.mjs': GOOD },
    ],
    [
      'that starts files by itself',
      ['run.mjs'],
      {
        'run.mjs':
          "import { run } from 'node:test';\nrun({ files: ['a.test.mjs'] }).on('test:fail', () => { process.exitCode = 1; }).resume();\n",
        'a.test.mjs': GOOD,
      },
    ],
    [
      'whose tests start another that fails',
      ['--test', 'a.test.mjs'],
      {
        'a.test.mjs': `import assert from 'node:assert';\nimport { spawnSync } from 'node:child_process';\n${TEST}test('a', () => {\nconst env = { ...process.env };\ndelete env.NODE_TEST_CONTEXT;\nassert.equal(spawnSync(process.execPath, ['--test', 'b.mjs'], { env }).status, 1);\n});\n`,
        'b.mjs': BAD,
      },
    ],
    [
      'with a worker that exits',
      ['--test', 'a.test.mjs'],
      {
        'a.test.mjs': `import { Worker } from 'node:worker_threads';\n${TEST}test('a', async () => {\nconst worker = new Worker('process.exit(0)', { eval: true });\nawait new Promise((done) => worker.on('exit', done));\n});\n`,
      },
    ],
  ];
  for (const [what, args, files] of GREEN)
    test(`${what} is green`, async () => {
      const { exit, reds } = await run(args, files);
      assert.deepEqual([exit, reds], [0, []]);
    });
});

describe('the names of failed tests', { timeout: 300_000 }, () => {
  const nested = `${TEST}import { describe } from 'node:test';
describe('cart', () => {
  test('adds', () => { throw new Error('no'); });
  test('sorts', () => {});
});
test('later', { todo: true }, () => { throw new Error('not yet'); });
`;
  test('are those of the tests, below their file, and not those of their group', async () => {
    const { counted } = await run(['--test', 'a.test.mjs'], { 'a.test.mjs': nested });
    assert.deepEqual(counted?.failing, ['a.test.mjs: adds']);
  });

  test('of code that replaces what the reporter uses are missing, and the failure counts', async () => {
    const text = `String.prototype.slice = () => { throw new Error('mine'); };\n${BAD}`;
    const { counted, reds } = await run(['a.test.mjs'], { 'a.test.mjs': text });
    assert.notDeepEqual(reds, []);
    assert.equal(counted?.failing, undefined);
  });
});
