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
  /** Another ended run in the same project, which created this file. */
  readonly addRun: (run: RunId, file: string) => Promise<AnotherRun>;
  readonly read: (name: string) => Promise<string>;
};

type AnotherRun = { readonly place: WorkspaceId; readonly commit: string };

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
  const work = await workOf(project, home, ENDED_RUN, {
    'old.txt': 'one\ntwo\n',
    'new.txt': 'new\n',
  });
  const facts: object[] = [work.fact];
  const others = new Map<RunId, object>();
  const recorded: NewOwnerEvent[] = [];
  const onRecord = { on: async (_event: NewOwnerEvent): Promise<void> => undefined };
  const clock = new ManualClock();
  const changes = new RunChanges({
    home,
    clock,
    trees: realRunTrees(home, gitPorts),
    view: async () => ({ outcome, committed: null, workFiles: 0 }) as RunView,
    historyBack: async function* (id) {
      const other = others.get(id);
      yield* (other === undefined ? facts.toReversed() : [other]) as unknown as StoredEvent[];
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
    place: work.place,
    commit: work.commit,
    recorded,
    onRecord,
    facts,
    addRun: async (run, file) => {
      const { fact, ...added } = await workOf(project, home, run, { [file]: `${file}\n` });
      others.set(run, fact);
      return added;
    },
    read,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** A committed workspace with these files, and the fact that names it. */
async function workOf(
  project: string,
  home: string,
  run: RunId,
  files: Readonly<Record<string, string>>,
): Promise<AnotherRun & { readonly fact: object }> {
  const workspace = await createWorkspace({ path: project, home, run, attempt: 1 }, gitPorts);
  for (const [name, text] of Object.entries(files))
    await writeFile(join(workspace.work, name), text);
  const { commit, ref } = await commitWorkspace(workspace.id, gitPorts);
  workspace.release();
  const note = { kind: 'committed', ref, commit, root: workspace.id.root, tree: 1 };
  const fact = { type: 'command.noted', payload: { key: 'attempt-1', note } };
  return { place: workspace.id, commit, fact };
}
