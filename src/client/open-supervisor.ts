/** For programs that use Supervisor as a library: a client, and an owner to go with it. */
import { realpathSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { homeAt } from '../host/machine/state-home.ts';
import type { Home } from '../host/machine/state-home.ts';
import { newOwnerId } from '../host/process/owner-id.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { agentEnv } from './agent-env.ts';
import type { Client } from './client.ts';
import { connect } from './connect.ts';
import { ownerCommand, version } from './package-info.ts';

export type SupervisorOptions = {
  /** Where the state lies; by default what the command line uses: `$SUPERVISOR_HOME`, or `~/.supervisor`. */
  readonly home?: string;
  /** Keep the owner inside this process. By default it is the one in the background, started if need be. */
  readonly inProcess?: boolean;
};

/** Disposing of it leaves the owner; one inside this process is closed, and its runs wait for the next. */
export type SupervisorConnection = AsyncDisposable & { readonly client: Client };

export async function openSupervisor(
  options: SupervisorOptions = {},
): Promise<SupervisorConnection> {
  const home = userHome(options.home ?? process.env['SUPERVISOR_HOME'], process.cwd(), process.env);
  const clock = systemClock;
  if (options.inProcess !== true) {
    const client = await connect({ home, version, clock, ownerCommand, env: process.env });
    return { client, [Symbol.asyncDispose]: async () => {} };
  }
  const { openInProcess } = await import('./in-process.ts');
  const { client, serving } = await openInProcess({
    home,
    ownerId: newOwnerId(),
    version,
    pid: process.pid,
    clock,
    luck: systemRandom,
    node: process.execPath,
    agentEnv: agentEnv(process.env),
    env: process.env,
    log: () => undefined,
  });
  return { client, [Symbol.asyncDispose]: () => serving.close('the program is done with it') };
}

/** The home that is named, or the user's own. */
export function userHome(
  named: string | undefined,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Home {
  const isNamed = named !== undefined && named !== '';
  const dir = isNamed ? resolve(cwd, named) : join(homedir(), '.supervisor');
  const runtime = env['XDG_RUNTIME_DIR'] ?? tmpdir();
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
