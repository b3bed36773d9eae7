import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { parseRunId } from '../base/ids.ts';
import type { DiskSpace } from '../host/files/disk-space.ts';
import { testOwner } from '../../test/support/test-owner.ts';
import { diskHeadroomRefusal } from './disk-headroom.ts';

const much: DiskSpace = { freeBytes: 9e12, isRemote: false };
const MB = 1_000_000;

describe('a new run', () => {
  const cases: [why: string, space: DiskSpace | undefined, floor: number, said: string][] = [
    ['begins where there is room', much, 500 * MB, 'room'],
    ['begins where the floor is met', { ...much, freeBytes: 500 * MB }, 500 * MB, 'room'],
    ['begins where nobody knows', undefined, 500 * MB, 'room'],
    ['begins where the user wants no floor', { ...much, freeBytes: 0, freeFiles: 0 }, 0, 'room'],
    ['begins where files are to be had', { ...much, freeFiles: 10_000 }, MB, 'room'],
    [
      'is refused on a full disk',
      { ...much, freeBytes: 500 * MB - 1 },
      500 * MB,
      'Only 499 MB are free in /home, where a new run needs 500 MB. No run was begun.',
    ],
    [
      'is refused where files run out',
      { ...much, freeFiles: 9999 },
      MB,
      'Only 9999 more files can be made in /home, where a new run needs 10000. No run was begun.',
    ],
  ];
  for (const [why, space, diskFreeBytes, said] of cases)
    test(`case 28: ${why}`, () => {
      const refusal = diskHeadroomRefusal(space, { diskFreeBytes }, '/home');
      assert.equal(refusal?.message ?? 'room', said);
    });

  test('case 28: it is the owner that refuses, whichever way the run would begin', async () => {
    await using given = await testOwner();
    const { owner, project } = given;
    const request = { task: 'do it', project, agent: 'scripted:crashes' };
    const view = await owner.submit({ ...request, set: ['recovery.attempts_max=1'] });
    const id = parseRunId(view.id) ?? assert.fail();
    for await (const _ of owner.followRun(id, 0, owner.closing));
    const full = (error: unknown): boolean => isRefusal(error, 'store.full');
    const set = ['limits.disk_free=999GB'];
    await assert.rejects(owner.submit({ ...request, set }), full);
    await given.configure(`limits: { disk_free: 999GB }\n`);
    await assert.rejects(owner.submit(request), full);
    await assert.rejects(owner.resume(id), full);
    await assert.rejects(owner.fork(id, 1), full);
    const living = { assignment: 'stay', project, agent: 'scripted' };
    await assert.rejects(
      owner.agents.spawn(living),
      (error) =>
        isRefusal(error, 'agent.preflight-failed') && /Only \d+ MB are free/.test(error.message),
    );
    assert.equal((await owner.engine.list({ limit: 10 })).length, 1);
    await given.configure('');
    await owner.resume(id);
  });
});
