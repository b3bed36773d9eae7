/** `apply --commit` in repositories and environments that are not plain: nothing is lost, and no message is wrong. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { RUN_WITH_WORK as RUN } from '../support/run-with-work.ts';
import { userWithWork } from '../support/user-with-work.ts';

const COMMITTED = /^(?:applied 2 files to main\n)?committed [0-9a-f]{12} on main\n$/;

describe('a commit of the work', { timeout: 300_000 }, () => {
  test('has the work again after the person took it out with git', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.git('stash', '--quiet', '--include-untracked');
    assert.match((await at.say('apply', RUN, '--commit')).out, COMMITTED);
    at.git('reset', '--quiet', '--hard', 'HEAD~1');
    assert.match((await at.say('apply', RUN, '--commit')).out, COMMITTED);
    assert.deepEqual([at.read('old.txt'), at.git('status', '--porcelain')], ['one\ntwo\n', '']);
    assert.match((await at.say('apply', RUN, '--commit')).out, /^Nothing to commit: /);
  });

  test('is not needed after the person committed the files with git', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.shell('git add -A; git commit -qm mine');
    const { code, out, err } = await at.say('apply', RUN, '--commit');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^Nothing to commit: /);
  });

  test('leaves nothing for a branch: no branch is made, and the commit stays on record', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN, '--commit');
    const { code, out } = await at.say('apply', RUN, '--branch', 'ai/again');
    assert.deepEqual([code, at.git('branch', '--list', 'ai/again')], [0, '']);
    assert.match(out, /^Nothing to apply: the project already has the work of run /);
    assert.match((await at.say('status', RUN)).out, /committed as [0-9a-f]{12}/);
  });

  test('works although a branch has the work, as an apply without a commit does', async () => {
    for (const flags of [[], ['--commit']]) {
      await using at = await userWithWork();
      await at.say('apply', RUN, '--branch', 'ai/try');
      const { code, out, err } = await at.say('apply', RUN, ...flags);
      assert.equal(code, 0, out + err);
      assert.match(out, /^applied 2 files to main\nThe branch ai\/try has the same work\. /);
      assert.equal(at.read('old.txt'), 'one\ntwo\n');
      assert.equal(at.git('status', '--porcelain') === '', flags.length > 0);
    }
  });

  test('on a branch that was rolled back is not called changed', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.git('stash', '--quiet', '--include-untracked');
    await at.say('apply', RUN, '--branch', 'ai/try');
    const rolled = await at.say('rollback', RUN, '--yes');
    assert.equal(rolled.code, 0, rolled.err);
    const { out } = await at.say('status', RUN);
    assert.match(out, /^applied .* on the new branch ai\/try .*, rolled back just now$/m);
    assert.doesNotMatch(out, /later changed/);
  });

  test('does not replace what the person staged of a file', async () => {
    await using at = await userWithWork();
    await at.say('apply', RUN);
    at.shell(
      'printf "one\\nstaged\\n" > old.txt; git add old.txt; printf "one\\ntwo\\n" > old.txt',
    );
    const { code, err } = await at.say('apply', RUN, '--commit');
    assert.deepEqual([code, at.git('show', ':old.txt')], [1, 'one\nstaged\n']);
    assert.match(err, /You staged a part of the changes in old\.txt/);
  });

  test('is made later in a repository that converts line ends', async () => {
    await using at = await userWithWork({
      base: String.raw`git init -q -b main; git config core.autocrlf true
printf 'one\r\n' > old.txt; git add -A; git commit -qm first`,
      work: String.raw`printf 'two\r\n' >> old.txt; printf 'new\r\n' > new.txt`,
    });
    await at.say('apply', RUN);
    assert.match((await at.say('apply', RUN, '--commit')).out, COMMITTED);
    assert.equal(at.git('show', 'HEAD:old.txt'), 'one\ntwo\n');
  });

  test('goes to the project, not to the repository that GIT_DIR names', async () => {
    const other = await mkdtemp(join(tmpdir(), 'supervisor-other-'));
    try {
      const gitDir = join(other, '.git');
      await using at = await userWithWork(
        { work: 'echo new > new.txt; echo more > more.txt' },
        { GIT_DIR: gitDir, GIT_INDEX_FILE: join(other, 'index') },
      );
      execFileSync('git', ['init', '--quiet', other]);
      assert.match((await at.say('apply', RUN, '--commit')).out, COMMITTED);
      assert.match(at.git('show', '--stat', '--format=%s'), /^fix the test\n[^]*new\.txt/);
      const refs = execFileSync('git', ['--git-dir', gitDir, 'for-each-ref'], { encoding: 'utf8' });
      assert.equal(refs, '');
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });

  test('says which files it lacks because git ignores them', async () => {
    await using at = await userWithWork();
    at.shell('echo "new*" >> .git/info/exclude');
    const { code, out, err } = await at.say('apply', RUN, '--commit');
    assert.equal(code, 0);
    assert.match(out, COMMITTED);
    assert.equal(err, 'warning: the commit lacks 1 file that your git ignores: new [1].txt\n');
  });

  test('is refused before a file changes if git or the message would refuse it', async () => {
    await using at = await userWithWork({ work: 'rm old.txt; mkdir old.txt; echo a > old.txt/a' });
    const folder = await at.say('apply', RUN, '--commit');
    assert.match(folder.err, /old\.txt changes between a file and a folder/);
    const empty = await at.say('apply', RUN, '--commit', '-m', ' ');
    assert.deepEqual([empty.code, /-m is empty/.test(empty.err)], [2, true]);
    const long = await at.say('apply', RUN, '--commit', '-m', 'x'.repeat(100_000));
    assert.notEqual(long.code, 0);
    assert.deepEqual([at.read('old.txt'), at.git('status', '--porcelain')], ['one\n', '']);
  });
});
