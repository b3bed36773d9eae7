/** Opens an address in the browser of the person. */
import { spawn } from 'node:child_process';

const PROGRAMS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', linux: 'xdg-open' };
/** A program that opens a browser answers at once. One that stays is the browser itself. */
const ANSWER_MS = 1500;

/** False: there is no such program, or it failed. */
export async function openBrowser(
  url: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const program = env['BROWSER'] ?? PROGRAMS[process.platform];
  if (program === undefined || program === '') return false;
  // The address is an argument of its own, so no shell reads it.
  const child = spawn(program, [url], { detached: true, stdio: 'ignore', env });
  child.unref();
  return new Promise((resolve) => {
    const timeout = AbortSignal.timeout(ANSWER_MS);
    timeout.addEventListener('abort', () => resolve(true), { once: true });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
