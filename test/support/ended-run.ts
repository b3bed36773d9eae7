/** An ended run with committed work, and the component that applies it, without an owner. */
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunId } from '../../src/base/ids.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { which } from '../../src/host/process/which.ts';
import { RunChanges } from '../../src/owner/runs/run-changes.ts';
import { realRunTrees } from '../../src/owner/runs/run-trees.ts';
import type { NewOwnerEvent, StoredEvent } from '../../src/protocol/event.ts';
import type { RunView } from '../../src/protocol/views/run-view.ts';
import { ManualClock } from '../../src/testing/fakes/manual-clock.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { createWorkspace } from '../../src/workspace/create-workspace.ts';
import type { WorkspaceId } from '../../src/workspace/workspace.ts';
import { appliesOf } from './applies-of.ts';
import { tempDir } from './temp-dir.ts';

export const ENDED_RUN = 'a000000000' as RunId;
export const gitPorts = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag: `work-test:${process.pid}`,
  userHome: '/nonexistent',
};

export type EndedRun = AsyncDisposable & {
  readonly changes: RunChanges;
  readonly clock: ManualClock;
  readonly project: string;
  readonly place: WorkspaceId;
  /** The work. */
  readonly commit: string;
  readonly recorded: NewOwnerEvent[];
  /** Called before each fact is recorded. */
  readonly onRecord: { on: (event: NewOwnerEvent) => Promise<void> };
  /** The facts of the run, oldest first. */
  readonly facts: object[];
  readonly read: (name: string) => Promise<string>;
};

/** A project, and an ended run that created one file and changed another. */
export async function endedRun(
  outcome: RunView['outcome'] = { kind: 'unverified', reason: 'done' },
): Promise<EndedRun> {
  const dir = await tempDir();
  const root = await realpath(dir.path);
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(project);
  await mkdir(home);
  await writeFile(join(project, 'old.txt'), 'one\n');
  const workspace = await createWorkspace(
    { path: project, home, run: ENDED_RUN, attempt: 1 },
    gitPorts,
  );
  await writeFile(join(workspace.work, 'old.txt'), 'one\ntwo\n');
  await writeFile(join(workspace.work, 'new.txt'), 'new\n');
  const { commit, ref } = await commitWorkspace(workspace.id, gitPorts);
  workspace.release();
  const note = { kind: 'committed', ref, commit, root: workspace.id.root, tree: 1 };
  const facts = [{ type: 'command.noted', payload: { key: 'attempt-1', note } }];
  const recorded: NewOwnerEvent[] = [];
  const onRecord = { on: async (_event: NewOwnerEvent): Promise<void> => undefined };
  const clock = new ManualClock();
  const changes = new RunChanges({
    home,
    clock,
    trees: realRunTrees(home, gitPorts),
    view: async () => ({ outcome, committed: null, workFiles: 0 }) as RunView,
    historyBack: async function* () {
      yield* facts.toReversed() as unknown as StoredEvent[];
    },
    workOfWorkflow: async () => undefined,
    facts: async function* (after) {
      yield* recorded.slice(after) as unknown as StoredEvent[];
    },
    record: async (event) => {
      await onRecord.on(event);
      recorded.push(event);
    },
    applies: appliesOf(recorded),
    message: (id) => Promise.resolve(`the work of ${id}`),
  });
  const read = (name: string): Promise<string> => readFile(join(project, name), 'utf8');
  return {
    changes,
    clock,
    project,
    place: workspace.id,
    commit,
    recorded,
    onRecord,
    facts,
    read,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
