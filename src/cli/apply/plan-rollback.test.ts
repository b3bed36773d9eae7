import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { planRollback } from './plan-rollback.ts';

const RUN = '0123456789';
const [BRANCH, APPLIED_TO] = ['ai/P1T1-two-sides', 'taken'] as const;

function git(cwd: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
  execFileSync('git', [...who, ...args], { cwd });
}

function commitWork(cwd: string): void {
  git(cwd, 'commit', '--quiet', '--allow-empty', '-m', `Work\n\nSupervisor-Run: ${RUN}`);
}

/** A branch with the work that is not checked out. */
function keepBranch(cwd: string, name: string): void {
  git(cwd, 'checkout', '--quiet', '-b', name);
  commitWork(cwd);
  git(cwd, 'checkout', '--quiet', 'main');
}

const IN_FILES: AppliedView = {
  ...{ kind: 'files', at: 1, files: 3, merged: 0, branch: 'main', commit: null, undone: null },
};
const ON_BRANCH: AppliedView = { ...IN_FILES, kind: 'branch', branch: APPLIED_TO };

type Plant = (web: string) => void;

/** A feature that was started in `api` and spans `web`. */
async function planIn(name: 'api' | 'web', applied: AppliedView, plant: Plant): Promise<unknown> {
  await using dir = await tempDir();
  const folder = realpathSync(dir.path);
  const [api, web] = [join(folder, 'api'), join(folder, 'web')];
  for (const root of [api, web]) {
    mkdirSync(root);
    git(root, 'init', '--quiet', '--initial-branch=main');
    git(root, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  }
  plant(web);
  const looked: (string | undefined)[] = [];
  const committed = {
    type: 'command.ended',
    payload: {
      command: 'commit-work',
      end: { kind: 'done', result: { kind: 'committed', branch: BRANCH, commit: 'c' } },
    },
  };
  const client = {
    run: async () => ({ project: api }),
    applyDetails: async () => ({ applied }),
    events: async () => (applied === ON_BRANCH ? [] : [committed]),
    diff: async (_: string, project?: string) => looked.push(project),
  } as unknown as Client;
  const context = { env: process.env } as unknown as CliContext;
  const view = { id: RUN, project: api, open: [], outcome: { kind: 'succeeded' } };
  const project = { api, web }[name];
  try {
    const plan = await planRollback(context, client, view as unknown as RunView, project);
    const root = 'root' in plan ? plan.root.slice(folder.length + 1) : undefined;
    return [plan.kind, root, looked.map((path) => path?.slice(folder.length + 1))];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.message.replaceAll(folder, '');
  }
}

describe('the rollback of a feature that spans projects', () => {
  const nothing = `The task ${RUN} has brought nothing into a branch of /web, so there is nothing to roll back.`;
  type Case = [
    why: string,
    project: 'api' | 'web',
    applied: AppliedView,
    plant: Plant,
    is: unknown,
  ];
  const onBranch: Plant = (web) => keepBranch(web, BRANCH);
  const none: Plant = () => {};
  const sameName: Plant = (web) => git(web, 'branch', APPLIED_TO);
  const restored = ['restore-files', undefined, []];
  const cases: Case[] = [
    ['restores the files of the project that has them', 'api', IN_FILES, none, restored],
    [
      'leaves those files alone in another project, and deletes the branch there',
      'web',
      IN_FILES,
      onBranch,
      ['delete-branch', 'web', ['web']],
    ],
    [
      'reverts the commits in another project',
      'web',
      IN_FILES,
      commitWork,
      ['revert-commits', 'web', []],
    ],
    ['is refused in another project that has nothing of it', 'web', IN_FILES, none, nothing],
    ['is of no branch that only has the name of one', 'web', ON_BRANCH, sameName, nothing],
  ];
  for (const [why, project, applied, plant, is] of cases)
    test(why, async () => assert.deepEqual(await planIn(project, applied, plant), is));
});
