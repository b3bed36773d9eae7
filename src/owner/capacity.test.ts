/** How many runs of a project have an agent at work: what the project says holds for its runs, and across owners. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { RunId } from '../base/ids.ts';
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

/** Those of them that have an agent at work, in their order. */
async function atWork(owner: Owner, runs: readonly RunView[]): Promise<readonly number[]> {
  const views = await Promise.all(runs.map(({ id }) => owner.run(id as RunId)));
  return views.flatMap(({ open }, place) =>
    open.some(({ command }) => command === 'attempt') ? [place] : [],
  );
}

async function settlesAt(
  owner: Owner,
  runs: readonly RunView[],
  wanted: readonly number[],
): Promise<void> {
  const isSo = async (): Promise<boolean> => (await atWork(owner, runs)).join() === wanted.join();
  await eventually(`${wanted.join()} at work`, isSo, WAIT_MS);
}

/** All that were not let in have had their look around, and wait for room. */
async function waitsForRoom(owner: Owner, { id }: RunView): Promise<void> {
  const hasLooked = async (): Promise<boolean> => {
    const page = await owner.journal.readStream(`run/${id}`, { after: 0, limit: 100 });
    return page.some((event) => event.type === 'command.ended' && event.payload.key === 'survey-1');
  };
  await eventually(`${id} has looked around`, hasLooked, WAIT_MS);
}

describe('the capacity of a project', { timeout: 300_000 }, () => {
  test('holds for its own runs, and is at most that of the user', async () => {
    await using at = await testOwner('capacity: { runs_max: 3, per_agent_max: 20 }\n');
    await using narrow = await projectWith(at.dir, '{ runs_max: 1 }');
    await using wide = await projectWith(at.dir, '{ runs_max: 3 }');
    const runs: RunView[] = [];
    for (const { path } of [narrow, narrow, wide, wide, wide, wide])
      runs.push(await submit(at.owner, path));
    const [, queued, , , , last] = runs;
    assert.ok(queued !== undefined && last !== undefined);
    for (const one of [queued, last]) await waitsForRoom(at.owner, one);
    await settlesAt(at.owner, runs, [0, 2, 3, 4]);
    const [first] = runs;
    await at.owner.people.signal(first?.id as RunId, { kind: 'kill' });
    await settlesAt(at.owner, runs, [1, 2, 3, 4]);
  });

  test('says how many of one agent there may be for its runs to begin', async () => {
    await using at = await testOwner('capacity: { per_agent_max: 3 }\n');
    await using narrow = await projectWith(at.dir, '{ per_agent_max: 1 }');
    await using other = await tempDir();
    const runs = [await submit(at.owner, other.path)];
    await settlesAt(at.owner, runs, [0]);
    runs.push(await submit(at.owner, narrow.path), await submit(at.owner, other.path));
    for (const one of runs.slice(1)) await waitsForRoom(at.owner, one);
    await settlesAt(at.owner, runs, [0, 2]);
    runs.push(await submit(at.owner, narrow.path, 'scripted:deaf-with-child'));
    await settlesAt(at.owner, runs, [0, 2, 3]);
  });

  test('is pinned: it holds after a restart, whatever the file says then', async () => {
    await using dir = await tempDir();
    await using narrow = await projectWith(dir.path, '{ runs_max: 1 }');
    const runs: RunView[] = [];
    {
      const owner = await openTestOwner(dir.path);
      for (let n = 0; n < 3; n += 1) runs.push(await submit(owner, narrow.path));
      await settlesAt(owner, runs, [0]);
      await owner.close('the test goes on');
    }
    await writeFile(join(narrow.path, '.supervisor', 'config.yaml'), 'capacity: { runs_max: 9 }\n');
    const owner = await openTestOwner(dir.path);
    try {
      for (const one of runs.slice(1)) await waitsForRoom(owner, one);
      await settlesAt(owner, runs, [0]);
      await owner.people.signal(runs[0]?.id as RunId, { kind: 'kill' });
      await settlesAt(owner, runs, [1]);
    } finally {
      await owner.close('the test is over');
    }
  });
});
