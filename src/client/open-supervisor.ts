/** Opens a client and its owner, for programs that use Supervisor as a library. */
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { isRefusal, Refusal } from '../base/errors.ts';
import { userHomeFolder } from '../host/machine/account-home.ts';
import { homeAt } from '../host/machine/state-home.ts';
import type { Home } from '../host/machine/state-home.ts';
import { newOwnerId } from '../host/process/owner-id.ts';
import { systemClock } from '../host/machine/system-clock.ts';
import { systemRandom } from '../host/machine/system-random.ts';
import { agentEnv, isScriptedInProject } from './agent-env.ts';
import type { Client } from './client.ts';
import { connect } from './connect.ts';
import { ownerCommand, version } from './package-info.ts';

export type SupervisorOptions = {
  /** The home folder. The default is that of the command line: `$SUPERVISOR_HOME`, or `~/.supervisor`. */
  readonly home?: string;
  /** Run the owner inside this process. By default it runs in the background and is started if necessary. */
  readonly inProcess?: boolean;
};

/** Disposing of it leaves a background owner running. An owner inside this process is closed, and its runs wait. */
export type SupervisorConnection = AsyncDisposable & { readonly client: Client };

export async function openSupervisor(
  options: SupervisorOptions = {},
): Promise<SupervisorConnection> {
  const home = userHome(options.home, process.cwd(), process.env);
  const clock = systemClock;
  if (options.inProcess !== true) {
    const client = await connect({ home, version, clock, ownerCommand, env: process.env });
    return { client, [Symbol.asyncDispose]: async () => {} };
  }
  const { openInProcess } = await import('./in-process.ts');
  const opening = openInProcess({
    home,
    ownerId: newOwnerId(),
    version,
    pid: process.pid,
    clock,
    random: systemRandom,
    node: process.execPath,
    agentEnv: agentEnv(process.env),
    scriptedInProject: isScriptedInProject(process.env),
    env: process.env,
    log: () => undefined,
  });
  const { client, serving } = await opening.catch((error: unknown) => {
    throw isRefusal(error, 'owner.already-running') ? withoutSecondOwner(error) : error;
  });
  return { client, [Symbol.asyncDispose]: () => serving.close('the program closed it') };
}

/** The hint of the owner is for people at a command line. */
function withoutSecondOwner(error: Refusal): Refusal {
  const hint =
    'Leave out inProcess to use that owner. For several tasks at once, call openSupervisor once, and submit them all to its client.';
  return new Refusal({ ...error.data, hint }, { cause: error });
}

/** The home that a program names, that of `SUPERVISOR_HOME`, or else the default home of the user. */
export function userHome(
  named: string | undefined,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Home {
  const isNamed = named !== undefined && named !== '';
  const dir = isNamed
    ? resolve(cwd, named)
    : (homeVariable(env) ?? join(userHomeFolder(), '.supervisor'));
  const runtimeDir = env['XDG_RUNTIME_DIR'] ?? '';
  const runtime = isAbsolute(runtimeDir) ? runtimeDir : tmpdir();
  return homeAt(realPath(dir), join(runtime, `supervisor-${process.getuid?.() ?? 0}`));
}

/** Resolves links, because processes and the socket are found by the path of the home. */
function realPath(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dir; // it does not exist yet; if it can't be used, the first use reports that
  }
}

/** Each folder would have another home if the path were relative, with runs that no other folder shows. */
function homeVariable({
  SUPERVISOR_HOME: named = '',
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (named === '') return undefined;
  if (isAbsolute(named)) return named;
  throw new Refusal({
    code: 'home.unusable',
    message: `SUPERVISOR_HOME is ${JSON.stringify(named)}, which is no absolute path. Each folder would have a home of its own.`,
    hint: 'Use a path that begins with /, such as: export SUPERVISOR_HOME="$PWD/home"',
  });
}
