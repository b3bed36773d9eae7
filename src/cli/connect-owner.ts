/** Connects a command to the owner: one that is running, one started in the background, or one inside this process. */
import { agentEnv, isScriptedInProject } from '../client/agent-env.ts';
import { absentTransport, isAbsent } from '../client/absent-home.ts';
import { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { userHome } from '../client/open-supervisor.ts';
import type { Home } from '../host/machine/state-home.ts';
import { newOwnerId } from '../host/process/owner-id.ts';
import type { OwnerOptions } from '../client/in-process.ts';
import type { CliContext } from './cli-context.ts';
import { printable } from './cli-context.ts';
import { startOwnerHere } from './load-owner.ts';

/** Disposing of it leaves a background owner running, and closes an owner inside this process. */
export type OwnerConnection = AsyncDisposable & {
  readonly client: Client;
  /** Connects to a new owner after this one has died. Absent if the owner is inside this process. */
  readonly again?: () => Promise<Client>;
  /** The home does not exist. */
  readonly isAbsent?: true;
};

/** A close that takes longer than this prints a line. */
const CLOSE_QUIET_MS = 1000;

export function stateHome(context: CliContext): Home {
  return userHome(undefined, context.cwd, context.env);
}

/**
 * `foreground`: the owner is inside this process and ends with it. `creates`: the command begins something, so it may
 * create the home. Any other command finds nothing in a home that does not exist, and says so if the user names the home.
 */
export async function connectOwner(
  context: CliContext,
  {
    foreground = false,
    creates = false,
  }: { readonly foreground?: boolean; creates?: boolean } = {},
): Promise<OwnerConnection> {
  if (foreground) return ownerInProcess(context);
  const { clock, version, ownerCommand, env } = context;
  const home = stateHome(context);
  if (!creates && isAbsent(home)) {
    const tell = (): void =>
      context.err(`Note: the home ${printable(home.dir)} does not exist, so nothing is there.\n`);
    const isNamed = env['SUPERVISOR_HOME'] !== undefined;
    const client = new Client(absentTransport(home, clock, isNamed ? tell : () => {}), env);
    return { client, isAbsent: true, [Symbol.asyncDispose]: async () => {} };
  }
  const again = (): Promise<Client> =>
    connect({ home: stateHome(context), version, clock, ownerCommand, env });
  return { client: await again(), again, [Symbol.asyncDispose]: async () => {} };
}

async function ownerInProcess(context: CliContext): Promise<OwnerConnection> {
  const { client, serving } = await startOwnerHere(
    ownerOptions(context, (line) => context.err(`${line}\n`)),
  );
  // A command in another terminal may close this owner. Then this command has to end too.
  const closing = serving.done.then((reason) => serving.close(reason));
  closing.catch(() => undefined); // awaited below
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      const closed = new AbortController();
      void reportSlowClose(context, closed.signal);
      try {
        await serving.close('the command ended');
        await closing;
      } finally {
        closed.abort();
      }
    },
  };
}

async function reportSlowClose(context: CliContext, closed: AbortSignal): Promise<void> {
  if (await context.clock.sleep(CLOSE_QUIET_MS, closed))
    context.err('Stopping the agents. The next owner resumes their runs.\n');
}

export function ownerOptions(context: CliContext, log: (line: string) => void): OwnerOptions {
  const { version, pid, clock, random, node, env } = context;
  const home = stateHome(context);
  return {
    home,
    ownerId: newOwnerId(),
    version,
    pid,
    clock,
    random,
    node,
    agentEnv: agentEnv(env),
    scriptedInProject: isScriptedInProject(env),
    env,
    log,
  };
}
