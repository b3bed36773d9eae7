/** Runs the user's own git, as if the user had typed the command: with their environment, settings and hooks. */
import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { Refusal } from '../../base/errors.ts';
import { outsideRepository } from '../../host/git/outside-repository.ts';
import type { CliContext } from '../cli-context.ts';

export type UserGitCall = {
  readonly stdin?: string;
  /** Receives what git and its hooks print to standard error, as it comes. Default: it is only returned. */
  readonly onError?: (text: string) => void;
};

export type UserGitAnswer = {
  readonly code: number;
  readonly out: string;
  /** The same as `out`, for content that need not be text. */
  readonly bytes: Buffer;
  readonly err: string;
};

/** Resolves with any exit code. Refuses if git cannot be started. */
export async function userGit(
  { env }: Pick<CliContext, 'env'>,
  cwd: string,
  args: readonly string[],
  { stdin = '', onError }: UserGitCall = {},
): Promise<UserGitAnswer> {
  const child = spawn('git', args, { cwd, env: outsideRepository(env), stdio: 'pipe' });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 128));
  });
  child.stdin.on('error', () => {}); // git may end before it has read everything
  child.stdin.end(stdin);
  const err: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    err.push(chunk);
    onError?.(chunk);
  });
  try {
    const [code, bytes] = await Promise.all([ended, buffer(child.stdout)]);
    return { code, out: bytes.toString('utf8'), bytes, err: err.join('') };
  } catch (error) {
    throw new Refusal(
      {
        code: 'workspace.git-failed',
        message: 'git could not be started.',
        hint: 'Install git, and check that it is on your PATH.',
      },
      { cause: error },
    );
  }
}

/** The first line of its output. Undefined if git failed or printed nothing. */
export async function userGitLine(
  context: Pick<CliContext, 'env'>,
  cwd: string,
  args: readonly string[],
): Promise<string | undefined> {
  const { code, out } = await userGit(context, cwd, args);
  const [line = ''] = out.split('\n', 1);
  return code === 0 && line !== '' ? line : undefined;
}
