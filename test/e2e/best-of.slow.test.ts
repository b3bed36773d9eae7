/** Several agents on one task by the command line: gates choose, and only the work that was chosen is applied. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { RunResult } from '../../src/public-json/run-result.ts';
import { newRepository } from './new-repository.ts';

const missing = which('bwrap', process.env) === undefined && process.env['CI'] === undefined;
const skip = missing ? 'missing: bwrap' : false;

const AGENTS = 'scripted:crashes,scripted:works-in-steps,scripted:builds-components';

describe('the best of several agents', { skip, timeout: 600_000 }, () => {
  test('is the one with green gates, and the work of the others stays where it is', async () => {
    await using at = await newRepository({ 'shared.txt': 'list:\n' });
    const { harness } = at;
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...args], {
        cwd: harness.project,
        encoding: 'utf8',
      });
    git('add', '--all');
    git('commit', '--quiet', '-m', 'first');
    const say = async (...argv: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await harness.run(argv, { env: at.env });
      assert.equal(code, 0, stdout + stderr);
      return stdout;
    };
    const task = ['run', 'WRITE a.txt: one', '--chain', AGENTS, '--gate', 'test -f a.txt'];
    const result = RunResult.parse(
      JSON.parse(await say(...task, '--best-of', '3', '--no-ask', '--json')),
    );
    assert.equal(
      result.reason,
      'scripted:builds-components is the best of 3: its gates are green, and no other one is as good',
    );
    assert.deepEqual(
      result.files?.map(({ path }) => path),
      ['a.txt'],
    );
    // The agent that was chosen comes last, so its gates are those of the run.
    assert.equal(result.attempts.at(-1)?.agent_id, 'scripted:builds-components');
    assert.deepEqual(
      result.gates.map(({ state }) => state),
      ['passed'],
    );
    assert.deepEqual(
      [git('status', '--short'), existsSync(join(harness.project, 'a.txt'))],
      ['', false],
    );

    const why = await say('why', result.run_id);
    assert.match(why, /try-1-1-scripted-crashes, run [0-9a-f]{10}, failed/);
    assert.match(why, /succeeded: scripted:builds-components is the best of 3/);
    assert.match(await say('diff', result.run_id), /^\+one$/m);
    await say('apply', result.run_id);
    assert.equal(readFileSync(join(harness.project, 'a.txt'), 'utf8'), 'one\n');

    const few = await harness.run([...task, '--best-of', '4'], { env: at.env });
    assert.equal(few.code, 2);
    assert.match(few.stderr, /needs 4 different agents, and there are 3/);
  });
});
