/**
 * Finds the owner, or starts one in the background, as tmux does with its server. Whoever connects
 * shakes hands first: an owner of another version is asked to make way when it is not at work.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { Refusal, isRefusal } from '../base/errors.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { machineFault } from '../base/machine-fault.ts';
import type { Home } from '../host/machine/state-home.ts';
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
  /** The command that becomes an owner of this home. */
  readonly ownerCommand: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string | undefined>>;
};

const START_MS_MAX = 15_000;
/** An owner does nothing that takes this long; one that is silent for it is stuck, or was suspended. */
const ANSWER_MS_MAX = 10_000;
const LOOK_MS = 25;
/** About what a new journal needs. */
const PROBE_BYTES = 100_000;

/** The owner that is up now; undefined when there is none. Does not look at its version. */
export async function findOwner(
  home: Home,
): Promise<{ client: Client; view: OwnerView } | undefined> {
  const socket = socketOf(home);
  // In a folder that anybody may write to, the one who answers may be another user.
  if (home.socketDir !== home.dir) await checkOwnFolder(dirname(socket));
  const client = new Client(socketTransport(socket));
  const tooLate = AbortSignal.timeout(ANSWER_MS_MAX);
  try {
    return { client, view: await client.owner(tooLate) };
  } catch (error) {
    if (isRefusal(error, 'owner.unreachable')) return undefined;
    if (tooLate.aborted) throw silent(home, error);
    throw error;
  }
}

/** Asks the owner to end and waits until it has. False when there is none. */
export async function stopOwner(home: Home, clock: Clock): Promise<boolean> {
  const found = await findOwner(home);
  if (found === undefined) return false;
  await found.client.stopOwner();
  // Silence is not enough: after the last answer it still closes the journal and gives up the lock.
  const owner = (await processTable.rows()).find(({ pid }) => pid === found.view.pid);
  if (owner === undefined) return true;
  const deadlineMs = clock.elapsedMs() + START_MS_MAX;
  while (clock.elapsedMs() < deadlineMs && isAlive(owner)) await clock.sleep(LOOK_MS);
  if (!isAlive(owner)) return true;
  throw new Refusal({
    code: 'owner.unreachable',
    message: `The owner (pid ${owner.pid}) was asked to end and has not within ${START_MS_MAX / 1000} s.`,
    hint: `Read ${home.ownerLog}; kill -9 ${owner.pid} loses nothing that was written down.`,
  });
}

/** A client whose commands outlive the owner: they are sent again to the next one. */
export async function connect(options: ConnectOptions): Promise<Client> {
  const again = (): Promise<void> => reachOwner(options);
  await again();
  const transport: Transport = (path, call) => socketTransport(socketOf(options.home))(path, call);
  return new Client(persistentTransport(transport, { clock: options.clock, again }));
}

/** Resolves when an owner of this version is up. */
async function reachOwner(options: ConnectOptions): Promise<void> {
  const found = await findOwner(options.home);
  if (found !== undefined && fits(found.view, options.version)) return;
  if (found !== undefined) await makeWay(found.view, options);
  await startOwner(options);
}

function fits(view: OwnerView, version: string): boolean {
  return view.version === version && view.protocol === PROTOCOL_VERSION;
}

/** An idle owner of another version leaves; one at work is not interrupted by us. */
async function makeWay(view: OwnerView, { version, home, clock }: ConnectOptions): Promise<void> {
  if (view.runs > 0) {
    throw new Refusal({
      code: 'owner.version-differs',
      message: `The owner (pid ${view.pid}) is version ${view.version} and at work; this command is ${version}.`,
      hint: 'Wait for its runs, or end it with: supervisor owner stop',
    });
  }
  await stopOwner(home, clock);
}

/**
 * Two terminals may do this at the same moment: both start a process, one gets the lock, the other
 * leaves without a word, and both find the one that is up.
 */
async function startOwner(options: ConnectOptions): Promise<void> {
  const { home, clock, version } = options;
  const deadlineMs = clock.elapsedMs() + START_MS_MAX;
  const log = OwnerLog.open(home);
  let exitCode = launch(options, log);
  for (;;) {
    const found = await findOwner(home);
    if (found !== undefined && fits(found.view, version)) return;
    if (found !== undefined) await makeWay(found.view, options);
    const code = exitCode();
    if (code !== undefined && code !== 0)
      throw log.refusal() ?? homeFault(home) ?? couldNotStart(home, `it ended with code ${code}`);
    if (clock.elapsedMs() >= deadlineMs) {
      throw couldNotStart(home, `it did not answer within ${START_MS_MAX / 1000} s`);
    }
    await clock.sleep(LOOK_MS);
    // It left the field to another, which is not up: one that was just ending. So try again.
    if (code === 0 && (await findOwner(home)) === undefined) exitCode = launch(options, log);
  }
}

/**
 * Where the owner that is up listens. When the home's path is too long for a socket, it is in a folder that
 * depends on the environment, and the owner may have had another one: then it has said which.
 */
function socketOf(home: Home): string {
  if (home.socketDir === home.dir) return home.socket;
  try {
    const facts = parseJson(readFileSync(home.ownerFile, 'utf8'));
    const socket = isRecord(facts) ? facts['socket'] : undefined;
    return typeof socket === 'string' ? socket : home.socket;
  } catch {
    return home.socket; // no owner is up, or it has not said yet
  }
}

/** An owner on a full or broken disk can't write down why it ended, so it is tried here. */
function homeFault(home: Home): Refusal | undefined {
  const probe = join(home.dir, `.probe-${process.pid}`);
  try {
    writeFileSync(probe, 'x'.repeat(PROBE_BYTES));
    return undefined;
  } catch (error) {
    return machineFault(error);
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Returns a look at its exit code: undefined while it lives. */
function launch(
  { home, ownerCommand, env }: ConnectOptions,
  log: OwnerLog,
): () => number | undefined {
  using file = log.handle();
  const [command, ...args] = ownerCommand;
  // A session of its own: closing the terminal, or Ctrl-C in it, does not reach the owner.
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

function silent(home: Home, cause: unknown): Refusal {
  return new Refusal(
    {
      code: 'owner.unreachable',
      message: `The owner of ${home.dir} has not answered within ${ANSWER_MS_MAX / 1000} s.`,
      hint: `See its pid in ${home.ownerFile}; kill -9 loses nothing that was written down.`,
    },
    { cause },
  );
}

function couldNotStart(home: Home, why: string): Refusal {
  return new Refusal({
    code: 'owner.unreachable',
    message: `The owner could not be started: ${why}.`,
    hint: `Read ${home.ownerLog}, or run in this terminal with --foreground.`,
  });
}
