import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import type { CliContext } from '../cli-context.ts';
import { planCompletion } from './plan-completion.ts';

const RUN = '0123456789';
const BRANCH = 'ai/P1T1-two-sides';

function git(cwd: string, ...args: readonly string[]): void {
  const who = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com'];
  execFileSync('git', [...who, ...args], { cwd });
}

const IN_FILES: AppliedView = {
  ...{ kind: 'files', at: 1, files: 3, merged: 0, branch: 'main', commit: null, undone: null },
};

/** A feature that was started in `api` and spans `web`. `branches`: the projects that have its branch. */
async function planIn(
  name: 'api' | 'web',
  { branches = [], applied = null }: { branches?: readonly string[]; applied?: AppliedView | null },
): Promise<unknown> {
  await using dir = await tempDir();
  const folder = realpathSync(dir.path);
  const projects = ['api', 'web'].map((one) => ({ name: one, path: join(folder, one) }));
  for (const { name: one, path } of projects) {
    mkdirSync(path);
    git(path, 'init', '--quiet', '--initial-branch=main');
    git(path, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    if (branches.includes(one)) git(path, 'branch', BRANCH);
  }
  const path = (one: string): string => join(folder, one);
  const view = {
    ...{ id: RUN, program: FEATURE_PROGRAM, project: path('api'), open: [] },
    outcome: { kind: 'succeeded' },
  };
  const result = { kind: 'committed', branch: BRANCH, commit: 'c' };
  const payload = { command: 'commit-work', end: { kind: 'done', result } };
  const client = {
    run: async () => view,
    feature: async () => ({ projects }),
    applyDetails: async () => ({ applied, message: 'Add it' }),
    events: async () => [{ type: 'command.ended', payload }],
    diff: async (_: string, project = path('api')) => ({ files: [{ path: project }] }),
  } as unknown as Client;
  const context = { env: process.env, cwd: folder, clock: { now: () => 1 } };
  try {
    const wishes = { project: path(name), ...(branches.length === 0 ? { branch: 'new' } : {}) };
    const plan = await planCompletion(context as unknown as CliContext, client, RUN, wishes);
    const files = plan.diff.files.map((one) => one.path.slice(folder.length));
    return [plan.work.kind, plan.branch, plan.root.slice(folder.length), ...files];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return error.message.replaceAll(folder, '');
  }
}

describe('the work of a feature in one of its projects', () => {
  const gone = `The branch with the work of task ${RUN} in /web is gone. Nothing was committed.`;
  const cases: [why: string, name: 'api' | 'web', at: Parameters<typeof planIn>[1], is: unknown][] =
    [
      [
        'is on the branch of that project',
        ...(['web', { branches: ['web'] }] as const),
        ['branch', BRANCH, '/web', '/web'],
      ],
      [
        'becomes a commit of the project that the run belongs to',
        ...(['api', {}] as const),
        ['kept', 'new', '/api', '/api'],
      ],
      ['is no commit of another project without its branch', ...(['web', {}] as const), gone],
      [
        'is not in the files of a project if those of another have theirs',
        ...(['web', { applied: IN_FILES, branches: ['web'] }] as const),
        ['branch', BRANCH, '/web', '/web'],
      ],
    ];
  for (const [why, name, at, is] of cases)
    test(why, async () => assert.deepEqual(await planIn(name, at), is));
});
