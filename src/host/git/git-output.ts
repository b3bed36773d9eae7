import { systemClock } from '../machine/system-clock.ts';
import { runCommand } from '../process/run-command.ts';
import { fixedPath, which } from '../process/which.ts';

export type GitOutput =
  | { readonly kind: 'output'; readonly bytes: Buffer }
  /** Git is missing, this is not a repository, or git rejected the arguments. */
  | { readonly kind: 'failed'; readonly message: string };

const ANSWER_MS_MAX = 60_000;
const ANSWER_BYTES_MAX = 64_000_000;

/** A repository may name programs that git runs. These settings prevent it. */
const HARMLESS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat'];

let calls = 0;

/** The output of a read-only git command. Never writes, never prompts, never rejects. */
export async function gitOutput(
  cwd: string,
  args: readonly string[],
  answerMsMax = ANSWER_MS_MAX,
): Promise<GitOutput> {
  const git = which('git', process.env);
  if (git === undefined) return { kind: 'failed', message: 'git is not installed' };
  const settings = HARMLESS.flatMap((setting) => ['-c', setting]);
  const { HOME } = process.env;
  const answer = await runCommand(
    {
      argv: [git, '--no-optional-locks', ...settings, ...args],
      cwd,
      env: {
        PATH: fixedPath(process.env['PATH']),
        ...(HOME === undefined ? {} : { HOME }),
        LC_ALL: 'C',
        GIT_TERMINAL_PROMPT: '0',
      },
    },
    {
      clock: systemClock,
      tag: `git-output/${process.pid}/${(calls += 1)}`,
      deadlineMs: answerMsMax,
      outputBytesMax: ANSWER_BYTES_MAX,
      keepSurvivors: true, // it starts no programs
    },
  );
  switch (answer.kind) {
    case 'ended':
      return answer.code === 0
        ? { kind: 'output', bytes: answer.stdout }
        : { kind: 'failed', message: answer.stderr.trim() || `git exited with ${answer.code}` };
    case 'not-started':
      return { kind: 'failed', message: answer.message };
    case 'late':
      return { kind: 'failed', message: `git has not answered within ${answerMsMax / 1000} s` };
    case 'flooded':
    case 'called-off':
      return { kind: 'failed', message: 'git printed more than the limit' };
  }
}
