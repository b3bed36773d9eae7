import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { CliName, Place } from './clis.ts';
import { basicEnv, commandOf, RECIPES } from './clis.ts';

export type CliRun = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Terms = {
  /** Overrides the recipe's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** With the CLI's own retries, which the recipes shorten. */
  readonly asItComes?: boolean;
  /** More arguments, behind the first one. */
  readonly more?: readonly string[];
  /** With the model that the CLI chooses itself. */
  readonly ownModel?: boolean;
  /** Ends it, and all that it started, at once. */
  readonly signal?: AbortSignal;
};

const OUTPUT_MAX = 4 * 1024 * 1024;
const BOUND_MS = 120_000;

/** A private home and an empty working directory, removed at the end of the scope. */
export async function makePlace(): Promise<Place & AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), 'real-cli-'));
  const place = { home: join(root, 'home'), cwd: join(root, 'cwd') };
  await mkdir(place.home);
  await mkdir(place.cwd);
  return {
    ...place,
    // A CLI's last child may still write while its tree is removed.
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Runs the CLI once, to its end. Nothing that it started is left when this resolves. */
export async function runCli(
  cli: CliName,
  prompt: string,
  place: Place,
  url: string,
  resumed?: string,
  { env = {}, asItComes = false, ownModel = false, more = [], signal: called }: Terms = {},
): Promise<CliRun> {
  const recipe = RECIPES[cli];
  const setting = { ...place, url };
  const command = commandOf(cli);
  if (command === undefined) throw new Error(`${cli} is not installed`);
  for (const [name, content] of Object.entries(recipe.files(setting))) {
    await mkdir(dirname(join(place.home, name)), { recursive: true });
    await writeFile(join(place.home, name), asItComes ? patient(content) : content);
  }
  const mark = `MODEL_SERVER_TEST=${place.home}`;
  const all = recipe.args(prompt, setting, resumed).toSpliced(1, 0, ...more);
  const isModel = (place: number): boolean => all[place] === '-m' || all[place - 1] === '-m';
  const args = ownModel ? all.filter((_, place) => !isModel(place)) : all;
  const child = spawn(command, asItComes ? args.map(patient) : args, {
    cwd: place.cwd,
    env: {
      ...basicEnv(place.home),
      ...recipe.env(setting),
      ...(asItComes ? { CLAUDE_CODE_MAX_RETRIES: undefined } : {}),
      ...env,
      MODEL_SERVER_TEST: place.home,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const out = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      out[name] = (out[name] + text).slice(-OUTPUT_MAX);
    });
  const bound = setTimeout(() => void endMarked(mark), BOUND_MS);
  called?.addEventListener('abort', () => void endMarked(mark), { once: true });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>(
    (resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve([code, signal]));
    },
  );
  clearTimeout(bound);
  await endMarked(mark);
  return { code, signal, ...out };
}

/** Without a recipe's settings for retries. */
function patient(text: string): string {
  return text
    .replace(',request_max_retries=1,stream_max_retries=1', '')
    .replace(',"maxAttempts":1', '');
}

/** Tools run in their own sessions, so the processes are found by a mark in their environment. */
async function endMarked(mark: string): Promise<void> {
  const entries = await readdir('/proc').catch(() => []); // only Linux shows its processes as files
  for (const pid of entries.filter((name) => /^\d+$/.test(name))) {
    // A process that has just ended has no environment any more.
    const environ = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environ.split('\0').includes(mark)) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // it ended meanwhile
      }
    }
  }
}
