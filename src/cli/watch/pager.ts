/** Shows long text in the person's pager, as git does. */
import { spawn } from 'node:child_process';
import { which } from '../../host/process/which.ts';
import type { CliContext } from '../cli-context.ts';
import { userGitLine } from '../apply/user-git.ts';

export type PagerContext = Pick<CliContext, 'out' | 'terminal' | 'env' | 'cwd' | 'onInterrupt'>;

/** What `less` does unless LESS is set: quit if all fits on one screen, show colors, leave the text on the screen. */
const LESS_FLAGS = 'FRX';
/** The exit codes of a shell that could not start the command. */
const NOT_STARTED = [126, 127];

/** Without a terminal, or with `isPlain`, the text is only printed. A person who leaves the pager early is no error. */
export async function showPaged(
  context: PagerContext,
  text: string,
  { isPlain }: { readonly isPlain: boolean },
): Promise<void> {
  const pager = isPlain || !context.terminal.isTty ? null : await choosePager(context);
  if (pager === null || text === '' || !(await page(context, pager, text)))
    context.out(text, 'verbatim');
}

/** The same order as git: GIT_PAGER, core.pager, PAGER, less. Null: the person wants none. */
async function choosePager({ env, cwd }: PagerContext): Promise<string | null> {
  const named =
    env['GIT_PAGER'] ??
    (await userGitLine({ env }, cwd, ['config', '--get', 'core.pager']).catch(() => undefined)) ??
    env['PAGER'] ??
    which('less', env) ??
    '';
  return named === '' || named === 'cat' ? null : named;
}

/** False if the pager could not be started. */
async function page(
  { env, cwd, onInterrupt }: PagerContext,
  pager: string,
  text: string,
): Promise<boolean> {
  const forget = onInterrupt(() => {}); // Ctrl-C is for the pager
  try {
    const child = spawn('/bin/sh', ['-c', pager], {
      cwd,
      env: { ...env, LESS: env['LESS'] ?? LESS_FLAGS, LV: env['LV'] ?? '-c' },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 0));
    });
    child.stdin.on('error', () => {}); // the person left before the end of the text
    child.stdin.end(text);
    return !NOT_STARTED.includes(await ended);
  } finally {
    forget();
  }
}
