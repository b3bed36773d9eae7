/** Runs git and gh as the user would: with their own environment and login, outside the sandbox, and without questions. */
import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { cutAtWord, oneLine } from '../../base/text.ts';
import { outsideRepository } from '../../host/git/outside-repository.ts';
import { runCommand } from '../../host/process/run-command.ts';

export type UserCommandPorts = {
  readonly clock: Clock;
  readonly tag: string;
  readonly git: string;
  /** The user's own environment: `gh` and git find their logins by it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
};

/** `problem`: why it failed, in words. Absent: it ended with 0. */
export type UserCommandAnswer = { readonly out: string; readonly problem?: string };

const COMMAND_MS_MAX = 300_000;
const OUTPUT_BYTES_MAX = 1_000_000;

export async function runAsUser(
  { clock, tag, env, signal }: UserCommandPorts,
  argv: readonly [string, ...string[]],
  cwd: string,
  stdin = '',
): Promise<UserCommandAnswer> {
  const quiet = { GIT_TERMINAL_PROMPT: '0', GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
  const answer = await runCommand(
    { argv, cwd, env: { ...outsideRepository(env), ...quiet }, stdin },
    {
      clock,
      tag: `${tag}/pull-request`,
      deadlineMs: COMMAND_MS_MAX,
      outputBytesMax: OUTPUT_BYTES_MAX,
      ...defined({ signal }),
    },
  );
  switch (answer.kind) {
    case 'ended': {
      const out = answer.stdout.toString('utf8');
      if (answer.code === 0) return { out };
      const said = answer.stderr.trim().split('\n').at(-1) ?? '';
      return { out, problem: `exit ${answer.code}: ${cutAtWord(oneLine(said), 300)}` };
    }
    case 'late':
      return { out: '', problem: `no answer within ${COMMAND_MS_MAX / 60_000} minutes` };
    case 'called-off':
      return { out: '', problem: 'it was stopped' };
    case 'flooded':
      return { out: '', problem: 'it printed too much' };
    case 'not-started':
      return { out: '', problem: answer.message };
  }
}
