/**
 * What a workflow of one step costs beside a plain run with the same role, in processes and durable writes: their number
 * decides the time, and a busy machine does not change it. `npm run bench -- workflow` measures the time.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import type { RunId } from '../../src/base/ids.ts';
import type { TestOwner } from '../support/test-owner.ts';
import { testOwner } from '../support/test-owner.ts';

const ONE_STEP = `description: One step
initial_step: plan
steps:
  plan: {role: planner}
`;

type Cost = { readonly processes: number; readonly appends: number };

/** The processes that git and the agent are, and the appends to runs. Others may belong to the owner itself. */
async function costOf(
  { owner, project }: TestOwner,
  kind: { readonly role: string } | { readonly workflow: string },
): Promise<Cost> {
  let [processes, appends] = [0, 0];
  const counts = (message: unknown): void => {
    const { process: child } = message as { process: ChildProcess };
    queueMicrotask(() => {
      if (['git', 'node'].includes(basename(child.spawnfile))) processes += 1;
    });
  };
  const { journal } = owner;
  const append = journal.appendAll.bind(journal);
  journal.appendAll = (all, at) => {
    if (all.some(({ stream }) => stream.startsWith('run/'))) appends += 1;
    return append(all, at);
  };
  diagnostics.channel('child_process').subscribe(counts);
  try {
    const request = { task: 'Nothing.', project, agent: 'scripted:answers-its-role', ...kind };
    const { id } = await owner.submit(request);
    const never = new AbortController().signal;
    for await (const event of owner.followRun(id as RunId, 0, never)) void event;
    assert.equal((await owner.run(id as RunId)).outcome?.kind, 'unverified');
  } finally {
    diagnostics.channel('child_process').unsubscribe(counts);
    journal.appendAll = append;
  }
  return { processes, appends };
}

test('a workflow of one step starts no more processes than a plain run, and writes three times more', async () => {
  await using at = await testOwner('', { scriptedInProject: false });
  await mkdir(join(at.dir, 'workflows'));
  await writeFile(join(at.dir, 'workflows', 'one.yaml'), ONE_STEP);
  await writeFile(join(at.project, 'README.md'), '# A shop\n');
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...who, 'commit', '-qm', 'first'],
  ])
    execFileSync('git', args, { cwd: at.project });
  const [plain, workflow] = [{ role: 'planner' }, { workflow: 'one' }];
  // The first run of a project also stores its files.
  for (const kind of [plain, workflow]) await costOf(at, kind);
  const without = await costOf(at, plain);
  const within = await costOf(at, workflow);
  assert.ok(without.processes > 10 && without.appends > 5, JSON.stringify(without));
  assert.deepEqual(
    [within.processes - without.processes, within.appends - without.appends],
    [0, 3],
    `plain: ${JSON.stringify(without)}, workflow: ${JSON.stringify(within)}`,
  );
});
