import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Refusal, isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { EndedRun } from '../../../test/support/ended-run.ts';
import { ENDED_RUN as RUN, endedRun, gitPorts as git } from '../../../test/support/ended-run.ts';
import { planApply } from '../../workspace/apply/apply.ts';
import { workspacePaths } from '../../workspace/workspace.ts';

const OTHER = 'b000000000' as RunId;

/** The owner of the apply of `RUN` died: of two files, one is in place, and no later owner could continue. */
async function leaveHalf(at: EndedRun): Promise<void> {
  const { place, commit } = at;
  const plan = await planApply(place, git, { commit });
  await writeFile(
    join(workspacePaths(place).record, '..', 'apply.json'),
    JSON.stringify({ kind: 'tree', plan }),
  );
  const { before } = plan;
  const payload = { run: RUN, commit, branch: null, before, files: 2 };
  at.recorded.push({ type: 'apply.begun', payload });
  await writeFile(join(at.project, 'new.txt'), 'new\n');
}

function recordedSince(at: EndedRun, first: number): readonly string[] {
  return at.recorded
    .slice(first)
    .map(({ type, payload }) => `${type} ${'run' in payload ? payload.run : ''}`);
}

const COMPLETED = [`apply.begun ${RUN}`, `apply.ended ${RUN}`];

describe('an apply that was interrupted', { timeout: 300_000 }, () => {
  test('is completed before another run is applied to the project', async () => {
    await using at = await endedRun();
    await at.addRun(OTHER, 'other.txt');
    await leaveHalf(at);
    await at.changes.apply(OTHER, {});
    assert.deepEqual(recordedSince(at, 1), [
      ...COMPLETED,
      `apply.begun ${OTHER}`,
      `apply.ended ${OTHER}`,
    ]);
    assert.deepEqual(
      [await at.read('old.txt'), await at.read('new.txt'), await at.read('other.txt')],
      ['one\ntwo\n', 'new\n', 'other.txt\n'],
    );
  });

  test('is completed before another run is undone', async () => {
    await using at = await endedRun();
    await at.addRun(OTHER, 'other.txt');
    await at.changes.apply(OTHER, {});
    await leaveHalf(at);
    await at.changes.undo(OTHER);
    assert.deepEqual(recordedSince(at, 3), [
      ...COMPLETED,
      `undo.begun ${OTHER}`,
      `undo.ended ${OTHER}`,
    ]);
    assert.equal(await at.read('old.txt'), 'one\ntwo\n');
  });

  test('keeps other runs from being applied while it cannot be completed', async () => {
    await using at = await endedRun();
    await at.addRun(OTHER, 'other.txt');
    await leaveHalf(at);
    const message = 'The disk is full; nothing was written.';
    at.onRecord.on = async ({ payload }) => {
      if ('run' in payload && payload.run === RUN)
        throw new Refusal({ code: 'store.full', message });
    };
    await assert.rejects(
      at.changes.apply(OTHER, {}),
      (error) =>
        isRefusal(error, 'workspace.busy') &&
        error.message ===
          `The apply of run ${RUN} was interrupted and cannot be completed: ${message}` &&
        error.data.hint === `Complete it first with: supervisor apply ${RUN}`,
    );
    assert.deepEqual([recordedSince(at, 1), await at.read('old.txt')], [[], 'one\n']);
    at.onRecord.on = async () => undefined;
    await at.changes.apply(OTHER, {});
    assert.deepEqual(recordedSince(at, 1).slice(0, 2), COMPLETED);
  });

  test('is taken back if the user has changed its files meanwhile, and then blocks no other run', async () => {
    await using at = await endedRun();
    await at.addRun(OTHER, 'other.txt');
    await leaveHalf(at);
    await writeFile(join(at.project, 'old.txt'), 'mine\n');
    await at.changes.apply(OTHER, {});
    const [, end] = at.recorded.slice(1);
    assert.match(end?.type === 'apply.ended' ? end.payload.how : '', /old\.txt changed/);
    assert.deepEqual(
      [await at.read('old.txt'), await at.read('other.txt')],
      ['mine\n', 'other.txt\n'],
    );
  });

  test('is completed before the same run is applied to a branch, and keeps no other run from that', async () => {
    await using at = await endedRun();
    await at.addRun(OTHER, 'other.txt');
    await leaveHalf(at);
    // The project has no git repository, so the branch itself is refused.
    const isNoBranch = (error: unknown): boolean =>
      error instanceof Refusal && !isRefusal(error, 'workspace.busy');
    await assert.rejects(at.changes.apply(OTHER, { branch: 'review' }), isNoBranch);
    assert.deepEqual([recordedSince(at, 1), await at.read('old.txt')], [[], 'one\n']);
    await assert.rejects(at.changes.apply(RUN, { branch: 'review' }), isNoBranch);
    assert.deepEqual([recordedSince(at, 1), await at.read('old.txt')], [COMPLETED, 'one\ntwo\n']);
  });

  test('of which no work is left keeps no other run from being applied', async () => {
    await using at = await endedRun();
    await at.addRun(OTHER, 'other.txt');
    at.facts.length = 0;
    const payload = { run: 'c000000000', commit: at.commit, branch: null, files: 2 };
    at.recorded.push({ type: 'apply.begun', payload });
    assert.equal((await at.changes.apply(OTHER, {})).files, 1);
  });
});
