/** An apply that dies at any step, and one that meets another. */
import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { isLockHeld, takeLock } from '../../src/host/files/lock-file.ts';
import { executeApply, planApply } from '../../src/workspace/apply/apply.ts';
import type { FileOps } from '../../src/workspace/apply/execute-apply.ts';
import { realFileOps } from '../../src/workspace/apply/file-ops.ts';
import { planUndo, saveForUndo } from '../../src/workspace/apply/undo-apply.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import type { Workspace } from '../../src/workspace/create-workspace.ts';
import type { ShadowRepo } from '../../src/workspace/shadow-repo.ts';
import { openShadowRepo } from '../../src/workspace/shadow-repo.ts';
import { appliedRef, undoRef, workspacePaths } from '../../src/workspace/workspace.ts';
import type { WorkspaceHarness } from './workspace-harness.ts';
import { workspaceHarness, read, write } from './workspace-harness.ts';
import { AFTER, EDITS, edit, FILES, plan, refusedAs } from './apply-fixture.ts';

class Crash extends Error {}

/** As if nothing had ever been applied. */
async function reset(b: WorkspaceHarness, ws: Workspace): Promise<void> {
  for (const name of await readdir(b.project))
    if (name !== '.git') await rm(join(b.project, name), { recursive: true });
  await write(b.project, FILES);
  const { gitDir } = await openShadowRepo(workspacePaths(ws.id).project, b.ports);
  await rm(join(gitDir, appliedRef(ws.id)), { force: true });
}

/** Dies after the k-th operation on the machine. 0: before the first one. */
function mortal(hands: FileOps, k: number): FileOps {
  let calls = 0;
  return new Proxy(hands, {
    get:
      (target, name: keyof FileOps) =>
      async (...args: never[]) => {
        calls += 1;
        if (calls > k) throw new Crash(); // a dead process does nothing, not even clean up
        const answer: unknown = await Reflect.apply(target[name], target, args);
        if (calls === k) throw new Crash();
        return answer;
      },
  });
}

async function isCrash(dying: Promise<unknown>): Promise<boolean> {
  return dying.then(
    () => false,
    (error: unknown) => error instanceof Crash,
  );
}

describe('an interrupted apply', () => {
  test('has the same result, interrupted after any operation', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    for (let k = 0; ; k += 1) {
      const dying = executeApply(planned, b.ports, (vault) =>
        mortal(realFileOps(vault, ws.id, planned.before), k),
      );
      if (!(await isCrash(dying))) break;
      assert.deepEqual(await executeApply(planned, b.ports), { kind: 'applied' }, `k = ${k}`);
      assert.deepEqual(await read(b.project), AFTER, `k = ${k}`);
      await reset(b, ws);
      assert.ok(k < 200);
    }
  });

  test('never loses what the user writes before it continues', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const outcomes = new Set<string>();
    for (let [k, died] = [2, true]; died; k += 4) {
      const dying = executeApply(planned, b.ports, (vault) =>
        mortal(realFileOps(vault, ws.id, planned.before), k),
      );
      died = await isCrash(dying);
      await write(b.project, { 'a.txt': 'precious\n' });
      const { kind } = await executeApply(planned, b.ports);
      outcomes.add(kind);
      const { 'a.txt': a, ...rest } = await read(b.project);
      const { 'a.txt': _, ...whole } = kind === 'applied' ? AFTER : FILES;
      assert.equal(a, 'precious\n', `k = ${k}`);
      assert.deepEqual(rest, whole, `k = ${k}`);
      await reset(b, ws);
    }
    assert.deepEqual([...outcomes].toSorted(), ['applied', 'changed-meanwhile']);
  });

  test('puts everything back if a file was edited at the last moment, or the disk fails', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const last = planned.edits.length - 1;
    const outcome = await executeApply(planned, b.ports, (vault) => {
      const hands = realFileOps(vault, ws.id, planned.before);
      return {
        ...hands,
        place: async (number, path) => {
          if (number === last) await write(b.project, { [path]: 'precious' });
          return hands.place(number, path);
        },
      };
    });
    const { path } = planned.edits[last] ?? assert.fail();
    assert.deepEqual(outcome, { kind: 'changed-meanwhile', paths: [path], leftAside: [] });
    assert.deepEqual(await read(b.project), { ...FILES, [path]: 'precious' });
    await write(b.project, FILES);

    const fresh = await plan(b, ws);
    const failing = executeApply(fresh, b.ports, (vault) => {
      const hands = realFileOps(vault, ws.id, fresh.before);
      return {
        ...hands,
        place: (number, place) =>
          number === last ? Promise.reject(new Error('ENOSPC')) : hands.place(number, place),
      };
    });
    await assert.rejects(failing, /ENOSPC/);
    assert.deepEqual(await read(b.project), FILES);
  });
});

describe('an interrupted undo', () => {
  test('restores everything, interrupted after any operation', async () => {
    await using b = await workspaceHarness(FILES);
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const { commit } = await commitWorkspace(ws.id, b.ports);
    for (let k = 0; ; k += 1) {
      const applied = await planApply(ws.id, b.ports, { commit });
      await saveForUndo(applied);
      assert.deepEqual(await executeApply(applied, b.ports), { kind: 'applied' });
      const planned = await planUndo(ws.id, b.ports, { commit, restores: applied.before });
      const opsOf = (vault: ShadowRepo): FileOps =>
        realFileOps(vault, ws.id, planned.before, undoRef(ws.id));
      const dying = executeApply(planned, b.ports, (vault) => mortal(opsOf(vault), k));
      const died = await isCrash(dying);
      if (died)
        assert.deepEqual(
          await executeApply(planned, b.ports, opsOf),
          { kind: 'applied' },
          `k = ${k}`,
        );
      assert.deepEqual(await read(b.project), FILES, `k = ${k}`);
      if (!died) break;
      assert.ok(k < 200);
    }
  });
});

describe('the lock of a project', () => {
  test('keeps a second apply out while it is held, and names its holder', async () => {
    const clock = new ManualClock(1_000_000);
    await using b = await workspaceHarness(FILES, { clock });
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const path = join(workspacePaths(ws.id).project, 'apply.lock');
    const lock = await takeLock(path, { clock, purpose: 'apply another/1' });
    assert.ok(lock.kind === 'taken');
    await assert.rejects(
      executeApply(planned, b.ports),
      refusedAs('workspace.busy', new RegExp(`apply another/1.*process ${process.pid}`)),
    );
    assert.deepEqual(await read(b.project), FILES);
    lock.release();
    assert.deepEqual(await executeApply(planned, b.ports), { kind: 'applied' });
    assert.equal(isLockHeld(path), false);
  });

  test('stays with a living holder, however old it is', async () => {
    const clock = new ManualClock(1_000_000);
    await using b = await workspaceHarness(FILES, { clock });
    const ws = await b.make();
    await edit(ws.work, EDITS);
    const planned = await plan(b, ws);
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const slow = executeApply(planned, b.ports, (vault) => {
      const hands = realFileOps(vault, ws.id, planned.before);
      const saveUserState = async (): Promise<void> => {
        begin();
        await promise;
        await hands.saveUserState();
      };
      return { ...hands, saveUserState };
    });
    await begun;
    await clock.advance(3_600_000);
    await assert.rejects(executeApply(planned, b.ports), refusedAs('workspace.busy'));
    resolve();
    assert.deepEqual(await slow, { kind: 'applied' });
  });
});
