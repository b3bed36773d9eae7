/** A person with a repository and with the work of a run, who types commands of Supervisor and of git. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandOutput, InProcessCli } from './cli-harness.ts';
import { inProcessCli } from './cli-harness.ts';
import type { WorkScripts } from './run-with-work.ts';
import { runWithWork, userEnv } from './run-with-work.ts';

const BASE = `git init -q -b main
echo one > old.txt; echo staged > staged.txt; echo dirty > dirty.txt
git add -A; git commit -qm first`;
const WORK = 'echo two >> old.txt; echo new > "new [1].txt"';

export type UserWithWork = AsyncDisposable & {
  readonly cli: InProcessCli;
  readonly say: (...argv: readonly string[]) => Promise<CommandOutput>;
  readonly git: (...args: readonly string[]) => string;
  /** Types a line in the shell, in the project. */
  readonly shell: (line: string) => void;
  readonly read: (name: string) => string;
};

export async function userWithWork(
  scripts: Partial<WorkScripts> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<UserWithWork> {
  const cli = await inProcessCli('', runWithWork({ base: BASE, work: WORK, ...scripts }));
  const own = userEnv(cli.dir);
  const options = { cwd: cli.project, env: own, encoding: 'utf8' } as const;
  return {
    cli,
    say: (...argv) => cli.say(argv, { env: { ...own, SUPERVISOR_HOME: cli.dir, ...more } }),
    git: (...args) => execFileSync('git', args, options),
    shell: (line) => void execFileSync('sh', ['-ec', line], options),
    read: (name) => readFileSync(join(cli.project, name), 'utf8'),
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  };
}
