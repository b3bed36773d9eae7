import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { ENDED_RUN, endedRun, gitPorts } from '../../../test/support/ended-run.ts';
import { planUndo } from '../../workspace/apply/undo-apply.ts';
import { workspacePaths } from '../../workspace/workspace.ts';

function begunWith(recorded: readonly { readonly type: string }[]): string {
  const begun = recorded.find(({ type }) => type === 'apply.begun') as unknown as {
    payload: { before: string };
  };
  return begun.payload.before;
}

describe('applied work whose project was moved', { timeout: 300_000 }, () => {
  test('is still listed as applied, and an undo is refused with the missing folder', async () => {
    await using at = await endedRun();
    await at.changes.apply(ENDED_RUN, {});
    await rename(at.project, `${at.project}-moved`);
    const applied = await at.changes.applied(ENDED_RUN);
    assert.deepEqual([applied?.files, applied?.changed], [2, undefined]);
    assert.ok((await at.changes.diff(ENDED_RUN)).files.length > 0);
    await assert.rejects(
      at.changes.undo(ENDED_RUN),
      (error) => isRefusal(error) && /does not exist/.test(error.message),
    );
  });
});

describe('an apply that is undone', { timeout: 300_000 }, () => {
  test('leaves every file as it was, and is recorded before and after', async () => {
    await using at = await endedRun();
    await chmod(join(at.project, 'old.txt'), 0o640);
    await at.changes.apply(ENDED_RUN, {});
    const { files } = await at.changes.undo(ENDED_RUN);
    assert.deepEqual([files, await at.read('old.txt')], [2, 'one\n']);
    assert.deepEqual(await readdir(at.project), ['old.txt']);
    assert.equal((await stat(join(at.project, 'old.txt'))).mode & 0o777, 0o640);
    const { commit } = at;
    const restores = begunWith(at.recorded);
    const answer = { undone: { commit, files: 2 } };
    assert.deepEqual(at.recorded.slice(2), [
      { type: 'undo.begun', payload: { run: ENDED_RUN, commit, restores, files: 2 } },
      {
        type: 'undo.ended',
        payload: { run: ENDED_RUN, commit, how: 'restored 2 files', answer },
      },
    ]);
    assert.notEqual((await at.changes.diff(ENDED_RUN)).applied?.undone, null);
  });

  test('gives a file that it deleted its permissions back', async () => {
    await using at = await endedRun();
    const path = join(at.project, 'old.txt');
    await chmod(path, 0o600);
    await rm(join(workspacePaths(at.place).work, 'old.txt'));
    at.facts.push({ type: 'command.begun', payload: { key: 'attempt-2', command: 'attempt' } });
    await at.changes.apply(ENDED_RUN, {});
    assert.equal(existsSync(path), false);
    await at.changes.undo(ENDED_RUN);
    assert.deepEqual([await at.read('old.txt'), (await stat(path)).mode & 0o777], ['one\n', 0o600]);
  });

  test('can be applied and undone again, also within one second', async () => {
    await using at = await endedRun();
    for (let round = 0; round < 3; round += 1) {
      assert.equal((await at.changes.apply(ENDED_RUN, {})).files, 2, `apply ${round}`);
      assert.equal(await at.read('old.txt'), 'one\ntwo\n');
      assert.equal((await at.changes.undo(ENDED_RUN)).files, 2, `undo ${round}`);
      assert.equal(await at.read('old.txt'), 'one\n');
    }
  });

  test('leaves the other files of the user alone', async () => {
    await using at = await endedRun();
    await at.changes.apply(ENDED_RUN, {});
    await writeFile(join(at.project, 'mine.txt'), 'mine\n');
    await at.changes.undo(ENDED_RUN);
    assert.deepEqual(await readdir(at.project), ['mine.txt', 'old.txt']);
  });

  test('keeps what the user changed in other lines since', async () => {
    await using at = await endedRun();
    await at.changes.apply(ENDED_RUN, {});
    const path = join(at.project, 'old.txt');
    await writeFile(path, `mine\none\ntwo\n`);
    assert.equal((await at.changes.undo(ENDED_RUN)).files > 0, true);
    assert.equal(await at.read('old.txt'), 'mine\none\n');
  });

  test('says which file can not be changed, and changes none', async (t) => {
    await using at = await endedRun();
    const path = join(at.project, 'old.txt');
    try {
      execFileSync('chattr', ['+i', path], { stdio: 'ignore' });
    } catch {
      return t.skip('this file system has no immutable files');
    }
    try {
      await assert.rejects(at.changes.apply(ENDED_RUN, {}), (error) => {
        assert.ok(isRefusal(error, 'machine.fault'), String(error));
        const words = `${path} can't be changed: the system protects it (EPERM).`;
        assert.ok(error.message.startsWith(words), error.message);
        assert.ok(error.data.hint?.endsWith(`chattr -i ${path}`), error.data.hint);
        return true;
      });
    } finally {
      execFileSync('chattr', ['-i', path]);
    }
    assert.deepEqual([await at.read('old.txt'), await readdir(at.project)], ['one\n', ['old.txt']]);
    assert.equal((await at.changes.apply(ENDED_RUN, {})).files, 2);
  });

  test('is refused if one of its files changed since, and nothing changes', async () => {
    await using at = await endedRun();
    await at.changes.apply(ENDED_RUN, {});
    await writeFile(join(at.project, 'new.txt'), 'mine\n');
    await assert.rejects(
      at.changes.undo(ENDED_RUN),
      (error) =>
        isRefusal(error, 'workspace.conflict') && error.message.startsWith('new.txt changed'),
    );
    assert.deepEqual(
      [await at.read('old.txt'), await at.read('new.txt'), at.recorded.length],
      ['one\ntwo\n', 'mine\n', 2],
    );
  });

  test('is refused if there is none, or a commit has it, with the command to type', async () => {
    await using at = await endedRun();
    const refusedWith = (words: RegExp) => (error: unknown) =>
      isRefusal(error, 'workspace.not-undoable') && words.test(error.data.hint ?? '');
    await assert.rejects(at.changes.undo(ENDED_RUN), refusedWith(/supervisor apply a000000000/));
    await at.changes.apply(ENDED_RUN, {});
    const made = '0123456789'.repeat(4);
    await at.changes.committed(ENDED_RUN, { made, branch: 'main' });
    await at.changes.committed(ENDED_RUN, { made, branch: 'main' });
    await assert.rejects(at.changes.undo(ENDED_RUN), refusedWith(/supervisor rollback a000000000/));
    assert.equal(at.recorded.filter(({ type }) => type === 'apply.committed').length, 1);
    assert.equal((await at.changes.details(ENDED_RUN)).applied?.commit, made);
  });

  test('changes no file before its start is recorded, and leaves no plan if it cannot be', async () => {
    await using at = await endedRun();
    await at.changes.apply(ENDED_RUN, {});
    at.onRecord.on = () => Promise.reject(new Error('ENOSPC'));
    await assert.rejects(at.changes.undo(ENDED_RUN), /ENOSPC/);
    assert.equal(await at.read('old.txt'), 'one\ntwo\n');
    assert.equal(existsSync(join(workspacePaths(at.place).record, '..', 'apply.json')), false);
  });

  test('is completed by the next owner if its owner dies, and blocks an apply until then', async () => {
    await using at = await endedRun();
    await at.changes.apply(ENDED_RUN, {});
    const { commit } = at;
    const restores = begunWith(at.recorded);
    const plan = await planUndo(at.place, gitPorts, { commit, restores });
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    await writeFile(file, JSON.stringify({ kind: 'undo', plan }));
    await rm(join(at.project, 'new.txt')); // this part was undone before the interruption
    await assert.rejects(at.changes.apply(ENDED_RUN, {}), (error) =>
      isRefusal(error, 'workspace.busy'),
    );
    const payload = { run: ENDED_RUN, commit, restores, files: 2 };
    const begun = { type: 'undo.begun', seq: 3, payload } as unknown as StoredEvent;
    await at.changes.resume([begun]);
    assert.deepEqual([await readdir(at.project), await at.read('old.txt')], [['old.txt'], 'one\n']);
    assert.deepEqual(
      at.recorded.slice(2).map(({ type }) => type),
      ['undo.begun', 'undo.ended'],
    );
    assert.deepEqual(await at.changes.findAnswer(begun), { commit, files: 2 });
  });
});
