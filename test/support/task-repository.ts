/** A git repository with commands inside this process, and a workflow of one role and a commit. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import type { InProcessCli } from './cli-harness.ts';
import { inProcessCli } from './cli-harness.ts';

export type TaskRepository = InProcessCli & {
  readonly git: (...args: readonly string[]) => string;
};

const WORKFLOW = `steps:
  implement: {role: implementer_fast, next: commit}
  commit: {kind: commit}
`;

/** `env`: of the owner. The workflow is called `small`. */
export async function taskRepository(
  config = '',
  env: NodeJS.ProcessEnv = {},
): Promise<TaskRepository> {
  const cli = await inProcessCli(config, [], systemClock, { env, scriptedInProject: false });
  await mkdir(join(cli.dir, 'workflows'));
  await writeFile(join(cli.dir, 'workflows', 'small.yaml'), WORKFLOW);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: cli.project, encoding: 'utf8' });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'ada');
  git('config', 'user.email', 'ada@example.com');
  await writeFile(join(cli.project, 'read.me'), 'text\n');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  return { ...cli, git };
}
