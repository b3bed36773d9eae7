/** The commands of a merge queue as an owner performs them: real git, real gates, and a user's real repository. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../../src/base/json.ts';
import type { RunId } from '../../src/base/ids.ts';
import { commandKey } from '../../src/base/ids.ts';
import { commitWorkPerformer } from '../../src/execution/commit-work/perform-commit-work.ts';
import {
  mergeWorkPerformer,
  openBasePerformer,
} from '../../src/execution/merge-work/perform-merge-work.ts';
import { workIn } from '../../src/execution/work-point.ts';
import { gatePerformer } from '../../src/gates/perform-gate.ts';
import { ensurePrivateDir } from '../../src/host/files/atomic-files.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { createWorkspace } from '../../src/workspace/create-workspace.ts';
import { gatePorts } from '../gates/gate-harness.ts';
import { read, workspaceHarness, write } from '../workspace/workspace-harness.ts';
import type { Pair, Tree } from './pairs.ts';
import type { QueueMachine } from './play-pair.ts';

const RUN = 'f000000000' as RunId;
const BRANCH = 'ai/P1T1-a';

export type QueueOnGit = QueueMachine &
  AsyncDisposable & {
    /** Refuses a branch that is not one line of commits, or a checkout that has changed. */
    readonly checkRepository: () => Promise<void>;
  };

export async function queueOnGit({ base }: Pair): Promise<QueueOnGit> {
  const world = await workspaceHarness(base);
  const { home, project, git, ports } = world;
  const before = [await read(project), await git('rev-parse', 'HEAD')];
  const machine = gatePorts({ root: join(home, '..'), home, tag: ports.tag });
  const outputs = join(home, 'outputs');
  await ensurePrivateDir(outputs);
  const performers = {
    'open-base': openBasePerformer(machine),
    'merge-work': mergeWorkPerformer(machine),
    'commit-work': commitWorkPerformer(machine),
    gate: gatePerformer({
      ...machine,
      outputDir: async () => outputs,
      findCommit: async () => assert.fail('a gate of a merge names its work'),
    }),
  } as const;
  const asText = (tree: Awaited<ReturnType<typeof read>>): Tree =>
    Object.fromEntries(
      Object.entries(tree).map(([path, file]) => [path, typeof file === 'string' ? file : '']),
    );
  const never = new AbortController().signal;

  return {
    work: async (run, from, patch) => {
      const earlier = await workIn(project, from, home, ports);
      const workspace = await createWorkspace(
        {
          ...{ path: project, home, run: run as RunId, attempt: 1 },
          findEarlierWork: async () => earlier,
        },
        ports,
      );
      for (const [path, text] of Object.entries(patch))
        if (text === null) await rm(join(workspace.work, path));
        else await write(workspace.work, { [path]: text });
      const { commit } = await commitWorkspace(workspace.id, ports);
      workspace.release();
      return { run, tree: 1, commit, content: commit };
    },
    perform: async (command, key, input) => {
      const performer = performers[command as keyof typeof performers] as unknown as {
        readonly perform: (request: object, context: object) => Promise<Record<string, Json>>;
      };
      const own = {
        ...input,
        project,
        ...(command === 'gate'
          ? { command: [process.execPath, 'check.mjs'], timeoutMs: 120_000, unsafe: true }
          : {}),
      };
      return performer.perform(
        { run: RUN, key: commandKey(key), input: own },
        { cancelSignal: never, killSignal: never, note: async () => undefined },
      );
    },
    branch: async () => {
      if ((await git('branch', '--list', BRANCH)) === '') return undefined;
      const copy = join(home, '..', 'checkout');
      await rm(copy, { recursive: true, force: true });
      await git('clone', '--quiet', '--no-local', '--branch', BRANCH, project, copy);
      return asText(await read(copy));
    },
    checkRepository: async () => {
      const [merges, after] = [
        await git('log', '--merges', '--format=%h', BRANCH),
        [await read(project), await git('rev-parse', 'HEAD')],
      ];
      assert.deepEqual([merges, after, await git('status', '--short')], ['', before, '']);
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
