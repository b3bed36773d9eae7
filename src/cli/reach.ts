/** How a command reaches the owner: the one that is up, one started for it, or one inside this process. */
import { realpathSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { sleep } from '../base/clock.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { homeAt } from '../host/home.ts';
import type { Home } from '../host/home.ts';
import type { OwnerOptions } from '../client/in-process.ts';
import type { Face } from './face.ts';

/** Disposing of it leaves the owner; one inside this process is closed. */
export type Reached = AsyncDisposable & {
  readonly client: Client;
  /** Reaches an owner again when this one has died. Absent: it is inside this process. */
  readonly again?: () => Promise<Client>;
};

/** A close that takes longer than this says so. */
const CLOSE_QUIET_MS = 1000;

export function homeOf(face: Face): Home {
  const named = face.env['SUPERVISOR_HOME'];
  const dir =
    named === undefined || named === '' ? join(homedir(), '.supervisor') : resolve(face.cwd, named);
  const runtime = face.env['XDG_RUNTIME_DIR'] ?? tmpdir();
  return homeAt(realPath(dir), join(runtime, `supervisor-${userInfo().uid}`));
}

/** One home under two names is one home: its processes and its socket are found by the path. */
function realPath(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dir; // it is not there yet, or can't be used, which whoever uses it will say
  }
}

export async function reach(face: Face, foreground: boolean): Promise<Reached> {
  if (foreground) return reachInside(face);
  const { clock, version, ownerCommand, env } = face;
  const again = (): Promise<Client> =>
    connect({ home: homeOf(face), version, clock, ownerCommand, env });
  return { client: await again(), again, [Symbol.asyncDispose]: async () => {} };
}

async function reachInside(face: Face): Promise<Reached> {
  // Only here: loading all of the owner would double the time that every other command takes to start.
  const { openInProcess } = await import('../client/in-process.ts');
  const { client, serving } = await openInProcess(
    ownerOptions(face, (line) => face.err(`${line}\n`)),
  );
  // Another terminal may ask it to close: whoever follows it here is then told so.
  const asked = serving.done.then((reason) => serving.close(reason));
  asked.catch(() => undefined); // awaited below
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      const closed = new AbortController();
      void sayIfSlow(face, closed.signal);
      try {
        await serving.close('the command ended');
        await asked;
      } finally {
        closed.abort();
      }
    },
  };
}

async function sayIfSlow(face: Face, closed: AbortSignal): Promise<void> {
  if (await sleep(face.clock, CLOSE_QUIET_MS, closed))
    face.err('Ending what is still going on; the next owner takes it up.\n');
}

export function ownerOptions(face: Face, log: (line: string) => void): OwnerOptions {
  const { version, pid, clock, luck, node } = face;
  return { home: homeOf(face), version, pid, clock, luck, node, agentEnv: agentEnv(face), log };
}

/** Enough to find programs and speak the user's language; no key, no token, nothing else of ours. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

function agentEnv(face: Face): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = face.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), TERM: 'dumb', NO_COLOR: '1' };
}
