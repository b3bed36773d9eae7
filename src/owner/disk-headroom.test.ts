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
  const cases: [why: string, space: DiskSpace | undefined, floor: number, expected: string][] = [
    ['starts if there is enough space', much, 500 * MB, 'room'],
    [
      'starts if exactly the required space is free',
      { ...much, freeBytes: 500 * MB },
      500 * MB,
      'room',
    ],
    ['starts if the free space is unknown', undefined, 500 * MB, 'room'],
    [
      'starts if the user requires no free space',
      { ...much, freeBytes: 0, freeFiles: 0 },
      0,
      'room',
    ],
    [
      'starts if exactly the required number of files is free',
      { ...much, freeFiles: 10_000 },
      MB,
      'room',
    ],
    [
      'is refused on a full disk',
      { ...much, freeBytes: 500 * MB - 1 },
      500 * MB,
      'Only 499 MB are free in /home, and a new run needs 500 MB. No run was started.',
    ],
    [
      'is refused if too few files are free',
      { ...much, freeFiles: 9999 },
      MB,
      'Only 9999 more files can be created in /home, and a new run needs 10000. No run was started.',
    ],
  ];
  for (const [why, space, diskFreeBytes, expected] of cases)
    test(`case 28: ${why}`, () => {
      const refusal = diskHeadroomRefusal(space, { diskFreeBytes }, '/home');
      assert.equal(refusal?.message ?? 'room', expected);
    });

  test('case 28: the owner refuses submit, resume, fork and spawn on a full disk', async () => {
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
    await assert.rejects(owner.newRuns.resume(id), full);
    await assert.rejects(owner.newRuns.fork(id, { seq: 1 }), full);
    const spawnRequest = { assignment: 'stay', project, agent: 'scripted' };
    await assert.rejects(
      owner.agents.spawn(spawnRequest),
      (error) =>
        isRefusal(error, 'agent.preflight-failed') && /Only \d+ MB are free/.test(error.message),
    );
    assert.equal((await owner.engine.list({ limit: 10 })).length, 1);
    await given.configure('');
    await owner.newRuns.resume(id);
  });
});
