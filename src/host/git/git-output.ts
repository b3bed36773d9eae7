import { execFile } from 'node:child_process';
import { processStarts } from '../process/process-starts.ts';
import { fixedPath, which } from '../process/which.ts';

export type GitOutput =
  | { readonly kind: 'output'; readonly bytes: Buffer }
  /** Git is missing, this is not a repository, or git rejected the arguments. */
  | { readonly kind: 'failed'; readonly message: string };

const ANSWER_MS_MAX = 60_000;
const ANSWER_BYTES_MAX = 64_000_000;

/** A repository may name programs that git runs. These settings prevent it. */
const HARMLESS = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.pager=cat'];

/** The output of a read-only git command. Never writes, never prompts, never rejects. */
export async function gitOutput(
  cwd: string,
  args: readonly string[],
  answerMsMax = ANSWER_MS_MAX,
): Promise<GitOutput> {
  const git = which('git', process.env);
  if (git === undefined) return { kind: 'failed', message: 'git is not installed' };
  const settings = HARMLESS.flatMap((setting) => ['-c', setting]);
  const { promise, resolve } = Promise.withResolvers<GitOutput>();
  const child = await processStarts.run(() =>
    execFile(
      git,
      ['--no-optional-locks', ...settings, ...args],
      {
        cwd,
        encoding: 'buffer',
        timeout: answerMsMax,
        maxBuffer: ANSWER_BYTES_MAX,
        killSignal: 'SIGKILL',
        env: {
          PATH: fixedPath(process.env['PATH']),
          HOME: process.env['HOME'],
          LC_ALL: 'C',
          GIT_TERMINAL_PROMPT: '0',
        },
      },
      (error, stdout, stderr) =>
        resolve(
          error === null
            ? { kind: 'output', bytes: stdout }
            : { kind: 'failed', message: stderr.toString('utf8').trim() || error.message },
        ),
    ),
  );
  child.stdin?.on('error', () => {}); // it ended without reading; its exit explains why
  child.stdin?.end();
  return promise;
}
