/** A person applies the work of a run, commits it and takes it back, with a real repository. */
import assert from 'node:assert/strict';
import { StatusDocument } from '../../src/public-json/status-document.ts';
import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../support/cli-harness.ts';
import type { UserWithWork } from '../support/user-with-work.ts';
import { userWithWork } from '../support/user-with-work.ts';
import { RUN_WITH_WORK as RUN, userEnv } from '../support/run-with-work.ts';

/** Own work of the person, next to that of the run: one file is staged, one is changed, one is new. */
function workMeanwhile({ cli, git }: UserWithWork): string {
  execFileSync('sh', ['-c', 'echo s >> staged.txt; echo d >> dirty.txt; echo u > untracked.txt'], {
    cwd: cli.project,
  });
  git('add', 'staged.txt');
  return git('status', '--porcelain');
}

describe('the work of a run', { timeout: 300_000 }, () => {
  test('is applied, remembered in every command, and undone', async () => {
    await using at = await userWithWork();
    const before = workMeanwhile(at);
    const finished = new RegExp(
      `^Finished, not applied:\n {2}${RUN} {2}.* → supervisor diff ${RUN}$`,
      'm',
    );
    assert.match((await at.say()).out, finished);
    assert.match(
      (await at.say('apply', RUN)).out,
      /^applied 2 files to main\nNot committed. Undo with: supervisor apply --undo\n$/,
    );
    assert.doesNotMatch((await at.say()).out, /Finished/);
    assert.equal(at.read('old.txt'), 'one\ntwo\n');
    assert.match((await at.say('status', '--all')).out, /main, (?:just now|\d+\w ago)/);
    assert.match(
      (await at.say('status', RUN)).out,
      /^applied +applied 2 files to main (?:just now|\d+\w ago)$/m,
    );
    assert.match(
      (await at.say('why', RUN)).out,
      /^Work {2}applied 2 files to main (?:just now|\d+\w ago)$/m,
    );
    assert.match(
      (await at.say('why', RUN)).out,
      /Next {2}Undo the apply with: supervisor apply --undo/,
    );
    assert.match(
      (await at.say('report')).out,
      /^ {4}applied 2 files to main (?:just now|\d+\w ago)$/m,
    );
    assert.match(
      (await at.say('diff', RUN)).out,
      /^# applied 2 files to main (?:just now|\d+\w ago)$/m,
    );
    assert.match(
      (await at.say('attach', RUN)).out,
      /^Applied 2 files to main (?:just now|\d+\w ago)\./m,
    );
    const { out } = await at.say('status', RUN, '--json');
    const applied = StatusDocument.parse(JSON.parse(out)).runs[0]?.applied;
    assert.deepEqual(
      [applied?.target, applied?.branch, applied?.undone_at],
      ['files', 'main', null],
    );
    assert.match((await at.say('apply', RUN)).out, /^Nothing to apply: .*applied 2 files to main/);

    assert.match((await at.say('apply', '--undo')).out, /^restored 2 files: /);
    assert.deepEqual([at.read('old.txt'), at.git('status', '--porcelain')], ['one\n', before]);
    assert.match((await at.say('why', RUN)).out, /undone (?:just now|\d+\w ago)/);
    assert.match((await at.say('why', RUN)).out, /Next {2}Apply the work with: supervisor apply/);
    const again = await at.say('apply', '--undo');
    assert.deepEqual([again.code, /No run is applied/.test(again.err)], [1, true]);
  });

  test('is committed alone, signed off, with the run, and other work stays as it was', async () => {
    await using at = await userWithWork();
    const before = workMeanwhile(at);
    const { out, err, code } = await at.say('apply', RUN, '--commit');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^applied 2 files to main\ncommitted [0-9a-f]{12} on main\n$/);
    assert.equal(
      at.git('log', '-1', '--format=%an%n%B').trimEnd(),
      [
        'Ann',
        'fix the test',
        '',
        'It was a typo.',
        '',
        `Supervisor-Run: ${RUN}`,
        'Signed-off-by: Ann <ann@example.test>',
      ].join('\n'),
    );
    assert.deepEqual(at.git('show', '--name-only', '--format=', '-z').split('\0').filter(Boolean), [
      'new [1].txt',
      'old.txt',
    ]);
    assert.equal(at.git('status', '--porcelain'), before);
    const made = at.git('rev-parse', 'HEAD').trim();
    assert.match(
      (await at.say('status', RUN)).out,
      new RegExp(`committed as ${made.slice(0, 12)}`),
    );
    assert.match((await at.say('apply', RUN, '--commit')).out, /^Nothing to commit: /);
    const undo = await at.say('apply', '--undo', RUN);
    assert.deepEqual([undo.code, undo.out], [1, '']);
    assert.match(undo.err, /Undo the commit with: supervisor rollback c000000000/);
    assert.equal(at.read('old.txt'), 'one\ntwo\n');
  });

  test('stays applied and uncommitted if a hook fails, and is committed when it passes', async () => {
    await using at = await userWithWork();
    const hook = join(at.cli.project, '.git', 'hooks', 'pre-commit');
    await writeFile(hook, '#!/bin/sh\necho "the hook says no" >&2\nexit 1\n');
    await chmod(hook, 0o755);
    const before = workMeanwhile(at);
    const { code, out, err } = await at.say('apply', RUN, '--commit', '-m', 'My words');
    assert.deepEqual([code, out], [1, 'applied 2 files to main\n']);
    assert.match(err, /the hook says no\n/);
    assert.match(err, /The files are applied and not committed\./);
    assert.equal(at.git('log', '--format=%s'), 'first\n');
    assert.match(at.git('status', '--porcelain'), /^ M old\.txt$/m);
    assert.match(at.git('status', '--porcelain'), /^\?\? "new \[1\]\.txt"$/m);
    await writeFile(hook, '#!/bin/sh\nexit 0\n');
    assert.match(
      (await at.say('apply', RUN, '--commit', '-m', 'My words')).out,
      /^committed [0-9a-f]{12} on main\n$/,
    );
    assert.equal(at.git('log', '-1', '--format=%s'), 'My words\n');
    assert.equal(at.git('status', '--porcelain'), before);
  });

  test('is found in the commit of a command that died before it recorded it', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.git('add', 'old.txt', 'new [1].txt');
    at.git('commit', '-qm', `mine\n\nSupervisor-Run: ${RUN}`);
    const undo = await at.say('apply', '--undo', RUN);
    assert.match(undo.err, /supervisor rollback/);
    assert.match((await at.say('status', RUN)).out, /committed as /);
  });

  test('is not committed with changes of the person in the same file, and nothing is applied', async () => {
    await using at = await userWithWork();
    await writeFile(join(at.cli.project, 'old.txt'), 'mine\none\n');
    const { code, err } = await at.say('apply', RUN, '--commit');
    assert.deepEqual([code, at.read('old.txt')], [1, 'mine\none\n']);
    assert.match(err, /changes of your own in old\.txt/);
  });

  test('is not committed without a name for git, and nothing is applied', async () => {
    await using at = await userWithWork();
    const { GIT_COMMITTER_NAME: _, GIT_COMMITTER_EMAIL: __, ...env } = userEnv(at.cli.dir);
    const { code, err } = await at.cli.say(['apply', RUN, '--commit'], {
      env: { ...env, SUPERVISOR_HOME: at.cli.dir },
    });
    assert.deepEqual([code, at.read('old.txt')], [1, 'one\n']);
    assert.match(err, /git config --global user\.name/);
  });

  test('is committed on a new branch with the task and the run', async () => {
    await using at = await userWithWork();
    assert.match((await at.say('apply', RUN, '--branch', 'try')).out, /^applied 2 files on try \(/);
    assert.match(
      at.git('log', '-1', '--format=%B', 'try'),
      /^fix the test\n\nIt was a typo\.\n\nSupervisor-Run: c000000000\nSigned-off-by: Supervisor </,
    );
    assert.match((await at.say('why', RUN)).out, /on the new branch try/);
    assert.match((await at.say('apply', '--undo', RUN)).err, /supervisor rollback c000000000/);
  });

  test('starts its branch where it began if the person has committed other changes of the same lines', async () => {
    await using at = await userWithWork();
    await writeFile(join(at.cli.project, 'old.txt'), 'mine\n');
    at.git('commit', '-qm', 'mine', 'old.txt');
    const refused = await at.say('apply', RUN);
    assert.match(
      refused.err,
      /supervisor apply c000000000 --branch work-c000000000\. Then merge it/,
    );
    const made = await at.say('apply', RUN, '--branch', 'work-c000000000');
    assert.match(made.out, /Merge it with: git merge work-c000000000/);
    assert.equal(at.git('merge-base', 'HEAD', 'work-c000000000'), at.git('rev-parse', 'HEAD~1'));
    assert.match((await at.say('apply', RUN)).err, /Merge it with: git merge work-c000000000/);
  });

  test('is refused with options that contradict each other', async () => {
    await using cli = await inProcessCli();
    const cases: [argv: readonly string[], says: RegExp][] = [
      [['apply', RUN, '--undo', '--commit'], /--undo takes no other option/],
      [['apply', RUN, '--commit', '--branch', 'x'], /--branch already makes a commit/],
      [['apply', RUN, '-m', 'x'], /-m is the message of a commit/],
    ];
    for (const [argv, says] of cases) {
      const { code, err } = await cli.say(argv);
      assert.deepEqual([code, says.test(err)], [2, true], err);
    }
  });
});
