import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../..', import.meta.url));

export type ShellResult = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

const COMMAND_MS_MAX = 10 * 60_000;

/**
 * Runs a command to its end. If it takes longer than the bound, it is killed and has no exit code.
 */
export function run(
  argv: readonly [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv = userEnv(),
): Promise<ShellResult> {
  const [command, ...args] = argv;
  const child = spawn(command, args, { cwd, env, timeout: COMMAND_MS_MAX, killSignal: 'SIGKILL' });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/**
 * The environment of a user at a prompt: no variables of this `npm test`, and not our Node in PATH.
 */
export function userEnv(changes: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(package|lifecycle)_|npm_(command|execpath|node_execpath)$|NODE_(TEST_|OPTIONS|ENV))/;
  const rest = Object.entries(process.env).filter(([name]) => !ours.test(name));
  return { ...Object.fromEntries(rest), PATH: systemPath().join(delimiter), ...changes };
}

/** The same, with Node 24 first. */
export function node24Env(): NodeJS.ProcessEnv {
  return userEnv({ PATH: [join(checkout, 'node_modules/.bin'), ...systemPath()].join(delimiter) });
}

/** The Node of the machine itself, if any. */
export function systemNode(): string | undefined {
  return programPath('node');
}

/** Where the machine itself has a program, if it has. */
export function programPath(program: string): string | undefined {
  return systemPath()
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

function systemPath(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.filter((folder) => !folder.includes('node_modules'));
}

/** An empty folder, removed at the end of the scope. */
export async function emptyFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'supervisor-e2e-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
