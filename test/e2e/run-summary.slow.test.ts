/** The last lines of `supervisor run`, of an agent that works on a copy of the project. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { CliHarness } from './cli-process-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

const SCRIPT = 'printf "one\\ntwo\\n" > b.txt; echo finished';
const CONFIG = JSON.stringify({
  agents: [{ id: 'mine', cli: 'custom', command: ['bash', '--norc', '-c', SCRIPT] }],
  sandbox: { backend: 'bubblewrap' },
});

describe('the end of a run', { skip, timeout: 120_000 }, () => {
  test('says what changed in the copy, and how to get it into the project', async () => {
    await using harness = await CliHarness.create(CONFIG);
    Object.assign(process.env, { OPENAI_API_KEY: 'sk-test-0123456789' });
    const args = ['run', 'write b', '--agent', 'mine', '--gate', 'test -f b.txt'];
    const { stdout, stderr } = await harness.run(args);
    const run = /[0-9a-f]{10}/.exec(stdout)?.[0] ?? stderr;
    const end = stdout.trimEnd().split('\n').slice(-8);
    assert.deepEqual(end.toSpliced(4, 1), [
      '  attempts  1 (mine)',
      '  gates     ✔ test -f b.txt',
      '  base      test -f b.txt: red on the base, and green now',
      '  changes   1 file, +2 -0 lines',
      'Your files are unchanged.',
      `Review the work with: supervisor diff ${run}`,
      `Apply it with: supervisor apply ${run}`,
    ]);
    assert.match(end[4] ?? '', /^ {2}time {6}\d+s$/);
    assert.deepEqual(await readdir(harness.project), []);
    const applied = await harness.run(['apply', run]);
    assert.match(applied.stdout, /^applied 1 file/);
    assert.deepEqual(await readdir(harness.project), ['b.txt']);
  });
});
