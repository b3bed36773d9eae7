/**
 * Finds the owner, or starts one in the background, as tmux does with its server. If the owner has another
 * version and no active runs, it is shut down and replaced.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { machineFault } from '../base/machine-fault.ts';
import type { Home } from '../host/machine/state-home.ts';
import { withPath } from '../host/files/errno.ts';
import { checkOwnFolder } from '../host/files/private-folder.ts';
import { isAlive, processTable } from '../host/process/process-table.ts';
import { PROTOCOL_VERSION } from '../protocol/api.ts';
import type { OwnerView } from '../protocol/api.ts';
import { Client } from './client.ts';
import { OwnerLog } from './owner-log.ts';
import { persistentTransport } from './persistent-transport.ts';
import { socketTransport } from './socket-transport.ts';
import type { Transport } from './transport.ts';

export type ConnectOptions = {
  readonly home: Home;
  readonly version: string;
  readonly clock: Clock;
  /** The command that starts an owner of this home. */
  readonly ownerCommand: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** After it has been aborted, no owner is started any more. */
  readonly closing?: AbortSignal;
};

/** A busy machine needs this long to start Node, and a long journal to be read. A process that ends is noticed at once. */
const START_MS_MAX = 60_000;
/** No request takes an owner this long. If it does not answer in this time, it hangs or was suspended. */
const ANSWER_MS_MAX = 10_000;
const LOOK_MS = 25;
/** About what a new journal needs. */
const PROBE_BYTES = 100_000;

/** The running owner, of any version. Undefined if there is none. */
export async function findOwner(
  home: Home,
  answerMsMax = ANSWER_MS_MAX,
): Promise<{ client: Client; view: OwnerView } | undefined> {
  const socket = socketPath(home);
  // In a folder that others can write to, a socket of another user could answer.
  if (home.socketDir !== home.dir) await checkOwnFolder(dirname(socket));
  const client = new Client(socketTransport(socket));
  const timedOut = AbortSignal.timeout(answerMsMax);
  try {
    return { client, view: await client.machine.owner(timedOut) };
  } catch (error) {
    if (isRefusal(error, 'owner.unreachable')) return undefined;
    if (timedOut.aborted) throw noAnswer(home, answerMsMax, error);
    throw error;
  }
}

/** Shuts the owner down and waits until it has ended. False if there is none. */
export async function stopOwner(home: Home, clock: Clock): Promise<boolean> {
  const found = await findOwner(home);
  if (found === undefined) return false;
  await found.client.machine.stopOwner();
  // Wait for the end of the process: after its last answer the owner still closes the journal and releases the lock.
  const owner = (await processTable.rows()).find(({ pid }) => pid === found.view.pid);
  if (owner === undefined) return true;
  const deadlineMs = clock.elapsedMs() + START_MS_MAX;
  while (clock.elapsedMs() < deadlineMs && isAlive(owner)) await clock.sleep(LOOK_MS);
  if (!isAlive(owner)) return true;
  throw new Refusal({
    code: 'owner.unreachable',
    message: `The owner (pid ${owner.pid}) has not shut down within ${START_MS_MAX / 1000} s.`,
    hint: `Read ${home.ownerLog}. You can kill it without losing any run: kill -9 ${owner.pid}`,
  });
}

/** A client that sends a command again to the next owner if the current one dies. */
export async function connect(options: ConnectOptions): Promise<Client> {
  const again = (): Promise<void> => reachOwner(options);
  await again();
  const transport: Transport = (path, call) =>
    socketTransport(socketPath(options.home))(path, call);
  const persistent = persistentTransport(transport, { clock: options.clock, again });
  return new Client(persistent, options.env);
}

/** Resolves when an owner of this version is running. */
async function reachOwner(options: ConnectOptions): Promise<void> {
  const found = await findOwner(options.home);
  if (found !== undefined && hasVersion(found.view, options.version)) return;
  options.closing?.throwIfAborted();
  if (found !== undefined) await replaceIdleOwner(found.view, options);
  await startOwner(options);
}

function hasVersion(view: OwnerView, version: string): boolean {
  return view.version === version && view.protocol === PROTOCOL_VERSION;
}

/** Shuts down an idle owner of another version. An owner with active runs is not interrupted. */
async function replaceIdleOwner(
  view: OwnerView,
  { version, home, clock }: ConnectOptions,
): Promise<void> {
  if (view.runs > 0) {
    throw new Refusal({
      code: 'owner.version-differs',
      message: `The owner (pid ${view.pid}) has version ${view.version} and active runs; this command has version ${version}.`,
      hint: 'Wait until its runs end, or shut it down with: supervisor owner stop',
    });
  }
  await stopOwner(home, clock);
}

/**
 * Two commands may do this at the same moment. Both start a process, one process gets the lock, the other
 * exits with 0, and both commands find the owner that is running.
 */
async function startOwner(options: ConnectOptions): Promise<void> {
  const { home, clock, version } = options;
  const deadlineMs = clock.elapsedMs() + START_MS_MAX;
  const log = OwnerLog.open(home);
  let exitCode = launch(options, log);
  for (;;) {
    const found = await findOwner(home);
    if (found !== undefined && hasVersion(found.view, version)) return;
    if (found !== undefined) await replaceIdleOwner(found.view, options);
    const code = exitCode();
    if (code !== undefined && code !== 0)
      throw log.refusal() ?? homeFault(home) ?? couldNotStart(home, `it exited with code ${code}`);
    if (clock.elapsedMs() >= deadlineMs) {
      throw couldNotStart(home, `it did not answer within ${START_MS_MAX / 1000} s`);
    }
    await clock.sleep(LOOK_MS);
    // The process exited because another owner held the lock, but that owner was ending. So start one again.
    if (code === 0 && (await findOwner(home)) === undefined) exitCode = launch(options, log);
  }
}

/**
 * The socket of the running owner. If the home's path is too long for a socket, the socket is in a folder that
 * depends on the environment. The owner may have had another environment, so it writes the path to its file.
 */
function socketPath(home: Home): string {
  if (home.socketDir === home.dir) return home.socket;
  try {
    const facts = parseJson(readFileSync(home.ownerFile, 'utf8'));
    const socket = isRecord(facts) ? facts['socket'] : undefined;
    return typeof socket === 'string' ? socket : home.socket;
  } catch {
    return home.socket; // no owner is running, or it has not written the path yet
  }
}

/** On a full or broken disk an owner can't write why it ended, so this tries to write. */
function homeFault(home: Home): Refusal | undefined {
  const probe = join(home.dir, `.probe-${process.pid}`);
  try {
    writeFileSync(probe, 'x'.repeat(PROBE_BYTES));
    return undefined;
  } catch (error) {
    return machineFault(withPath(error, home.dir)); // an error of writing has no path
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Returns a function that reads the exit code. It is undefined while the process runs. */
function launch(
  { home, ownerCommand, env }: ConnectOptions,
  log: OwnerLog,
): () => number | undefined {
  using file = log.handle();
  const [command, ...args] = ownerCommand;
  // A separate session, so that closing the terminal, or Ctrl-C in it, does not reach the owner.
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', file.descriptor, file.descriptor],
    cwd: home.dir,
    env: { ...env, SUPERVISOR_HOME: home.dir },
  });
  let code: number | undefined;
  child.once('exit', (exitCode, signal) => (code = exitCode ?? (signal === null ? 1 : 128)));
  child.once('error', () => (code = 127));
  child.unref();
  return () => code;
}

function noAnswer(home: Home, answerMsMax: number, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'owner.unreachable',
      message: `The owner of ${home.dir} has not answered within ${answerMsMax / 1000} s.`,
      hint: `Its pid is in ${home.ownerFile}. You can kill it with kill -9 without losing any run.`,
    },
    { cause },
  );
}

function couldNotStart(home: Home, why: string): Refusal {
  return new Refusal({
    code: 'owner.unreachable',
    message: `The owner could not be started: ${why}.`,
    hint: `Read ${home.ownerLog}, or run the command with --foreground.`,
  });
}
