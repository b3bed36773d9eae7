/** The project and the journal of a user after a run that has committed its work in a workspace. */
import { execFileSync } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { parseRunId } from '../../src/base/ids.ts';
import type { RunId } from '../../src/base/ids.ts';
import type { RunOutcome } from '../../src/protocol/outcome.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import { commitWorkspace } from '../../src/workspace/commit-work.ts';
import { createWorkspace } from '../../src/workspace/create-workspace.ts';
import type { EarlierRun } from './cli-harness.ts';
import { gitPorts } from './ended-run.ts';
import { attempt, ended, ends, notes, submitted } from './run-history-fixture.ts';

export const RUN_WITH_WORK = parseRunId('c000000000') as RunId;

export type WorkScripts = {
  /** Shell commands in the project, before the run. */
  readonly base: string;
  /** Shell commands in the workspace: the work of the agent. */
  readonly work: string;
  readonly task?: string;
  readonly outcome?: RunOutcome;
};

/** The environment of the user's own git, apart from the settings of this machine. */
export function userEnv(home: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@example.test',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@example.test',
  };
}

const SUCCEEDED: RunOutcome = { kind: 'succeeded', reason: 'all gates passed' };

export function runWithWork({
  base,
  work,
  task = 'fix the test',
  outcome = SUCCEEDED,
}: WorkScripts) {
  return async (home: string, dir: string): Promise<readonly EarlierRun[]> => {
    const project = await realpath(dir);
    const shell = (script: string, cwd: string): void =>
      void execFileSync('sh', ['-ec', script], { cwd, env: userEnv(home) });
    shell(base, project);
    const run = RUN_WITH_WORK;
    const workspace = await createWorkspace({ path: project, home, run, attempt: 1 }, gitPorts);
    shell(work, workspace.work);
    const kept = await commitWorkspace(workspace.id, gitPorts);
    workspace.release();
    const { commit, ref } = kept;
    const size = { files: 1, names: ['old.txt'], added: 1, deleted: 0 };
    const note = { root: workspace.id.root, tree: 1, base: 'b', ...size, ref, commit };
    const facts: readonly NewRunEvent[] = [
      submitted(task, { project }),
      attempt(1, 'main'),
      notes('attempt-1', { kind: 'committed', ...note }),
      ends('attempt-1', { kind: 'completed', summary: 'It was a typo.' }),
      ended(outcome.kind, outcome.reason),
    ];
    const now = Date.now();
    return facts.map((event) => ({ stream: runStream(run), at: now, event }));
  };
}
