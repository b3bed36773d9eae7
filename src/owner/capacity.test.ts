/**
 * The capacity of a project limits how many of its runs have a running agent. It is pinned, so it
 * also holds after a restart of the owner.
 */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { runStatus } from '../protocol/views/run-status.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { eventually } from '../../test/support/eventually.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { openTestOwner, testOwner } from '../../test/support/test-owner.ts';
import { trustProject } from '../../test/support/trust-project.ts';
import type { Owner } from './owner.ts';

const WAIT_MS = 60_000;

async function projectWith(
  home: string,
  capacity: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  const dir = await tempDir();
  await mkdir(join(dir.path, '.supervisor'));
  await writeFile(join(dir.path, '.supervisor', 'config.yaml'), `capacity: ${capacity}\n`);
  await trustProject(home, dir.path);
  return dir;
}

function submit(owner: Owner, project: string, agent = 'scripted:never-speaks'): Promise<RunView> {
  return owner.submit({ task: 'think', project, agent });
}

/** The indexes of the runs that have a running agent. */
async function atWork(owner: Owner, runs: readonly RunView[]): Promise<readonly number[]> {
  const views = await Promise.all(runs.map(({ id }) => owner.run(id as RunId)));
  return views.flatMap(({ open }, place) =>
    open.some(({ command }) => command === 'attempt') ? [place] : [],
  );
}

async function settlesAt(
  owner: Owner,
  runs: readonly RunView[],
  expected: readonly number[],
): Promise<void> {
  const isReached = async (): Promise<boolean> =>
    (await atWork(owner, runs)).join() === expected.join();
  await eventually(`an agent at work in ${expected.join()}`, isReached, WAIT_MS);
}

/**
 * Waits until a run has checked the availability of its agents; after that it waits for capacity.
 */
async function waitsForCapacity(owner: Owner, { id }: RunView): Promise<void> {
  const hasChecked = async (): Promise<boolean> => {
    const page = await owner.journal.readStream(`run/${id}`, { after: 0, limit: 100 });
    return page.some(
      (event) => event.type === 'command.ended' && event.payload.key === 'check-availability-1',
    );
  };
  await eventually(`${id} has checked the availability`, hasChecked, WAIT_MS);
}

describe('the capacity of a project', { timeout: 300_000 }, () => {
  test('limits its own runs, and is at most the capacity of the user', async () => {
    await using at = await testOwner('capacity: { runs_max: 3, per_agent_max: 20 }\n');
    await using narrow = await projectWith(at.dir, '{ runs_max: 1 }');
    await using wide = await projectWith(at.dir, '{ runs_max: 3 }');
    const runs: RunView[] = [];
    for (const { path } of [narrow, narrow, wide, wide, wide, wide])
      runs.push(await submit(at.owner, path));
    const [, queued, , , , last] = runs;
    assert.ok(queued !== undefined && last !== undefined);
    for (const one of [queued, last]) await waitsForCapacity(at.owner, one);
    await settlesAt(at.owner, runs, [0, 2, 3, 4]);
    const [first] = runs;
    await at.owner.questions.signal(first?.id as RunId, { kind: 'kill' });
    await settlesAt(at.owner, runs, [1, 2, 3, 4]);
  });

  test('limits how many agents of one kind its runs start', async () => {
    await using at = await testOwner('capacity: { per_agent_max: 3 }\n');
    await using narrow = await projectWith(at.dir, '{ per_agent_max: 1 }');
    await using other = await tempDir();
    const runs = [await submit(at.owner, other.path)];
    await settlesAt(at.owner, runs, [0]);
    runs.push(await submit(at.owner, narrow.path), await submit(at.owner, other.path));
    for (const one of runs.slice(1)) await waitsForCapacity(at.owner, one);
    await settlesAt(at.owner, runs, [0, 2]);
    const waits = await at.owner.run(runs[1]?.id as RunId);
    const { reason } = await at.owner.listing.row(waits);
    assert.deepEqual(
      [waits.isHeld, runStatus(waits), reason],
      [true, 'queued', 'agent scripted:never-speaks at its limit of 1'],
    );
    runs.push(await submit(at.owner, narrow.path, 'scripted:deaf-with-child'));
    await settlesAt(at.owner, runs, [0, 2, 3]);
  });

  test('is pinned: it stays the same after a restart, even if the file has changed', async () => {
    await using dir = await tempDir();
    await using narrow = await projectWith(dir.path, '{ runs_max: 1 }');
    const runs: RunView[] = [];
    {
      const owner = await openTestOwner(dir.path);
      for (let n = 0; n < 3; n += 1) runs.push(await submit(owner, narrow.path));
      await settlesAt(owner, runs, [0]);
      await owner.close('the test restarts the owner');
    }
    await writeFile(join(narrow.path, '.supervisor', 'config.yaml'), 'capacity: { runs_max: 9 }\n');
    const owner = await openTestOwner(dir.path);
    try {
      for (const one of runs.slice(1)) await waitsForCapacity(owner, one);
      await settlesAt(owner, runs, [0]);
      await owner.questions.signal(runs[0]?.id as RunId, { kind: 'kill' });
      await settlesAt(owner, runs, [1]);
    } finally {
      await owner.close('the test is over');
    }
  });
});
