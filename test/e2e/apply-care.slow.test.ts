/** What `apply`, `diff` and `discard` say when there is a reason to be careful, or nothing to do. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ErrorDocument } from '../../src/public-json/error-document.ts';
import { RUN_WITH_WORK as RUN } from '../support/run-with-work.ts';
import { userWithWork } from '../support/user-with-work.ts';

const FAILED = { kind: 'failed', reason: 'gate test is red' } as const;

describe('the work of a run that failed', { timeout: 300_000 }, () => {
  test('is not applied without a terminal, unless the person says so', async () => {
    await using at = await userWithWork({ outcome: FAILED });
    for (const options of [[], ['--commit'], ['--branch', 'try']]) {
      const { code, out, err } = await at.say('apply', RUN, ...options);
      assert.deepEqual([code, out], [3, '']);
      assert.equal(
        err,
        `error: Run ${RUN} failed: gate test is red. Nothing was applied.\n` +
          `Review the work with: supervisor diff ${RUN}. To apply it anyway: ${['supervisor apply', RUN, '--even-if-failed', ...options].join(' ')}\n`,
      );
    }
    assert.equal(at.git('status', '--porcelain'), '');
    const json = await at.say('apply', RUN, '--json');
    const { error, exit_code: exitCode } = ErrorDocument.parse(JSON.parse(json.out));
    assert.deepEqual([json.code, exitCode, error.code], [3, 3, 'workspace.run-failed']);
    const anyway = await at.say('apply', RUN, '--even-if-failed');
    assert.deepEqual([anyway.code, anyway.err], [0, '']);
    assert.match(anyway.out, /^applied 2 files to main\n/);
  });

  test('is applied with a warning if no gate has judged it', async () => {
    await using at = await userWithWork({ outcome: { kind: 'unverified', reason: 'done' } });
    const { code, out, err } = await at.say('apply', RUN);
    assert.deepEqual([code, err], [0, 'warning: no gate has verified this work\n']);
    assert.equal(
      out,
      'applied 2 files to main\nNot committed. Undo with: supervisor apply --undo\n',
    );
  });
});

describe('a run that changed no file', { timeout: 300_000 }, () => {
  test('is already there if the person changed a line beside it', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.shell('printf "one\\nTWO and mine\\n" > old.txt');
    const { code, err } = await at.say('apply', RUN);
    assert.equal(code, 1, err);
    assert.match(
      err,
      /^error: The project already has the work of run .*you changed the same files since then\. Nothing was applied\./,
    );
    const out = join(at.cli.dir, 'out');
    const copied = await at.say('artifacts', RUN, '--out', out);
    assert.deepEqual([copied.code, existsSync(out)], [0, false], copied.err);
    assert.match(copied.out, /has no artifacts\. Nothing was copied\./);
  });

  test('has nothing to apply, to show or to undo', async () => {
    await using at = await userWithWork({ work: 'true' });
    const nothing = `Nothing to apply: run ${RUN} changed no file.\n`;
    for (const options of [[], ['--commit'], ['--branch', 'try']])
      assert.deepEqual(await at.say('apply', RUN, ...options), { code: 0, out: nothing, err: '' });
    assert.equal(at.git('branch', '--list', 'try'), '');
    for (const options of [[], ['--stat']])
      assert.deepEqual(await at.say('diff', RUN, ...options), {
        code: 0,
        out: '',
        err: `Run ${RUN} changed no file.\n`,
      });
    assert.doesNotMatch((await at.say('status', RUN)).out, /applied/);
    const undo = await at.say('apply', '--undo');
    assert.deepEqual([undo.code, /No run is applied/.test(undo.err)], [1, true]);
  });
});

describe('applied work', { timeout: 300_000 }, () => {
  test('that the person took out with git is known as changed, and can be applied again', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.git('checkout', '-q', '--', '.');
    at.shell('rm "new [1].txt"');
    assert.match((await at.say('status', '--all')).out, / changed since /);
    for (const command of ['status', 'why', 'diff', 'attach'])
      assert.match(
        (await at.say(command, RUN)).out,
        /pplied 2 files to main .*, later changed in the project/,
        command,
      );
    const again = await at.say('apply', RUN);
    assert.match(
      again.out,
      /^applied 2 files to main\nThe files had changed after the apply .*\. They have the work again\.\n/,
    );
    assert.equal(at.read('old.txt'), 'one\ntwo\n');
    assert.doesNotMatch((await at.say('status', RUN)).out, /later changed/);
  });

  test('that the person continued has nothing to apply', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.shell('{ echo mine; cat old.txt; } > mine.txt; mv mine.txt old.txt');
    const { out } = await at.say('apply', RUN);
    assert.match(
      out,
      /^Nothing to apply: .*applied 2 files .*, later changed in the project\)\.\n$/,
    );
    assert.equal(at.read('old.txt'), 'mine\none\ntwo\n');
  });

  test('that is already taken out has nothing to restore', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.git('checkout', '-q', '--', '.');
    at.shell('rm "new [1].txt"');
    assert.match((await at.say('apply', '--undo')).out, /^Nothing to restore: /);
    assert.match((await at.say('status', RUN)).out, /undone /);
  });

  test('names the project if that is not the current folder', async () => {
    await using at = await userWithWork();
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    try {
      const env = { SUPERVISOR_HOME: at.cli.dir, PATH: process.env['PATH'], HOME: at.cli.dir };
      const { out } = await at.cli.say(['apply', RUN], { cwd: elsewhere, env });
      assert.match(out, /^applied 2 files to main in \//);
      assert.ok(out.endsWith(`Undo with: supervisor apply --undo ${RUN}\n`), out);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });
});

describe('a workspace', { timeout: 300_000 }, () => {
  test('that was deleted leaves the work, and the message says how to see it', async () => {
    await using at = await userWithWork();
    assert.equal(
      (await at.say('discard', RUN)).out,
      `Workspace of run ${RUN} deleted. Its work is kept, see it with: supervisor diff ${RUN}\n`,
    );
    assert.match((await at.say('diff', RUN)).out, /^\+two$/m);
  });

  test('that was deleted by hand is no dead end', async () => {
    await using at = await userWithWork();
    const diff = (await at.say('diff', RUN, '--raw')).out;
    at.shell(`rm -rf "${at.cli.dir}"/projects/*/trees/${RUN}`);
    assert.equal((await at.say('diff', RUN, '--raw')).out, diff);
    const { code, err } = await at.say('apply', RUN);
    assert.equal(code, 1);
    assert.match(err, /is gone\.\n.*: supervisor diff c000000000 --raw \| git apply\n$/);
    at.shell(`rm -rf "${at.cli.dir}"/projects`);
    const lost = await at.say('diff', RUN);
    assert.equal(lost.code, 1);
    assert.match(lost.err, /^error: The stored work of run c000000000 is gone: .* was deleted/);
    assert.match(lost.err, /supervisor logs c000000000/);
  });
});
