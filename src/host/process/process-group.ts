/**
 * One command and all its descendants, in its own session. Its leader may lie, fork, move tools to other sessions or
 * leave a grandchild that holds its output. Once `ended` has resolved, the output has been delivered and, unless the
 * caller keeps them, no survivors are left.
 * A process escapes if it cleared its environment, moved to another session and lost its parent before we searched.
 * Only a sandbox with its own process namespace contains those.
 */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { OutputSink } from './output-drain.ts';
import { OutputDrain } from './output-drain.ts';
import type { ProcessId, ProcessRow } from './process-table.ts';
import { checkTag, processTable, signalProcess, TAG_VARIABLE } from './process-table.ts';
import type { KilledProcesses } from './kill-tagged.ts';
import { killAll, livingProcesses } from './kill-tagged.ts';

export type HostCommand = {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment. Nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for its standard input. Without it, stdin is /dev/null. */
  readonly stdin?: string;
};

export type GroupOptions = {
  /** Names the group in each of its processes: a path such as `<owner>/<run>/<command>`. */
  readonly tag: string;
  readonly clock: Clock;
  readonly onStdout?: OutputSink;
  readonly onStderr?: OutputSink;
  /** Its standard input stays open for `write`. Otherwise it ends after the command's text. */
  readonly keepsStdin?: boolean;
  /** How long its output may still come after the leader's exit, if other processes hold it open. */
  readonly drainMs?: number;
  /** Whether processes that outlive the leader may continue. */
  readonly keepSurvivors?: boolean;
  /**
   * The leader only contains the others, as a sandbox does. It is never asked to end, because that would kill them.
   */
  readonly leaderHolds?: boolean;
};

/** How the leader ended. `not-started` has the system's own code, such as ENOENT or E2BIG. */
export type HostExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

export type CancelSignal = 'SIGINT' | 'SIGTERM';

const DRAIN_MS = 1000;
const POLL_MS_MIN = 20;
const POLL_MS_MAX = 1000;

export class ProcessGroup {
  /** Undefined if it could not be started. */
  readonly leader: ProcessId | undefined;
  /** Resolves when the leader has ended. Its descendants may still run, and its output may still be arriving. */
  readonly exited: Promise<HostExit>;
  /** Resolves when everything has ended. Rejects only if a sink threw; the group was then killed. */
  readonly ended: Promise<HostExit>;

  readonly #options: GroupOptions;
  readonly #child: ChildProcess | undefined;
  readonly #known = new Map<number, ProcessId>();
  #hasExited = false;
  #wasKilled = false;
  #left = 0;
  #stopping: Promise<'ended' | 'killed'> | undefined;
  #sweeping: Promise<KilledProcesses> | undefined;

  constructor(command: HostCommand, options: GroupOptions) {
    checkTag(options.tag);
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<HostExit>();
    this.#child = start(command, options, resolve);
    this.exited = promise.then((exit) => {
      this.#hasExited = true;
      return exit;
    });
    this.leader = identify(this.#child?.pid);
    this.ended = this.#finish();
  }

  /** How many processes survived SIGKILL: stuck in the kernel, or owned by another user. */
  get left(): number {
    return this.#left;
  }

  /**
   * Asks the whole tree to end, waits, then kills the rest. Returns `killed` if something had to be killed. A second
   * call joins the first one; `kill` ends the wait.
   */
  async stop(graceMs: number, firstSignal: CancelSignal = 'SIGTERM'): Promise<'ended' | 'killed'> {
    if (!this.#hasExited) this.#stopping ??= this.#stopTree(graceMs, firstSignal);
    const how = (await this.#stopping) ?? 'ended';
    await this.ended;
    return how;
  }

  /** Kills the whole tree at once. Resolves when everything has ended. */
  async kill(): Promise<void> {
    await this.#killTree();
    await this.ended;
  }

  /** All living processes of the group: the leader and its descendants. */
  members(): Promise<readonly ProcessRow[]> {
    return this.#family();
  }

  /** Resolves when the system has taken the bytes, or never will. Only with `keepsStdin`. */
  write(bytes: Uint8Array): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin == null || !stdin.writable) return Promise.resolve();
    return new Promise((resolve) => stdin.write(bytes, () => resolve()));
  }

  async #finish(): Promise<HostExit> {
    const child = this.#child;
    const { clock, onStdout, onStderr, drainMs = DRAIN_MS, keepSurvivors = false } = this.#options;
    const output = new OutputDrain([
      [child?.stdout, onStdout],
      [child?.stderr, onStderr],
    ]);
    output.delivered.catch(() => this.#killTree()); // a sink threw: `ended` rejects with it below

    const exit = await this.exited;
    if (exit.kind === 'not-started') return exit;
    try {
      await output.within(clock, drainMs);
    } finally {
      const stopped = await this.#stopping; // `stop` has itself searched until no process was left
      if (stopped === undefined && (!keepSurvivors || this.#wasKilled)) await this.#sweep();
      await output.untilIdle(clock, drainMs).catch(() => undefined); // reported below
      for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    }
    await output.delivered;
    return exit;
  }

  async #stopTree(graceMs: number, firstSignal: CancelSignal): Promise<'ended' | 'killed'> {
    if (this.leader === undefined) return 'ended';
    const deadlineMs = this.#options.clock.elapsedMs() + graceMs;
    const family = await this.#family();
    const keepAlive = this.#options.leaderHolds === true ? this.leader.pid : undefined;
    for (const one of family) if (one.pid !== keepAlive) signalProcess(one, firstSignal);
    if (family.length === 0 && !this.#hasExited) signalGroup(this.leader.pid, firstSignal);
    const gone = (await this.#hasExitedBy(deadlineMs)) && (await this.#isGoneBy(deadlineMs));
    if (!gone) await this.#killTree();
    return this.#wasKilled ? 'killed' : 'ended';
  }

  async #hasExitedBy(deadlineMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const done = new AbortController();
    await Promise.race([this.exited, clock.sleep(deadlineMs - clock.elapsedMs(), done.signal)]);
    done.abort();
    return this.#hasExited;
  }

  /** The leader may be only a wrapper around the real agent, which has the same grace. */
  async #isGoneBy(deadlineMs: number): Promise<boolean> {
    const { clock } = this.#options;
    for (let pollMs = POLL_MS_MIN; (await this.#family()).length > 0;) {
      if (clock.elapsedMs() >= deadlineMs || this.#wasKilled) return false;
      await clock.sleep(Math.min(pollMs, deadlineMs - clock.elapsedMs()));
      pollMs = Math.min(pollMs * 2, POLL_MS_MAX);
    }
    return true;
  }

  async #killTree(): Promise<void> {
    if (this.leader === undefined) return;
    this.#wasKilled = true;
    // Searched before any process dies: an orphan that has cleared its environment has no known parent any more.
    await this.#family();
    // The group number is certainly ours as long as the leader has not been waited for.
    if (!this.#hasExited) signalGroup(this.leader.pid, 'SIGKILL');
    await this.#sweep();
  }

  async #sweep(): Promise<void> {
    this.#sweeping ??= killAll(() => this.#family()).finally(() => (this.#sweeping = undefined));
    this.#left = (await this.#sweeping).left;
  }

  async #family(): Promise<readonly ProcessRow[]> {
    if (this.leader === undefined) return [];
    const { tag } = this.#options;
    const found = await livingProcesses({ tag, leader: this.leader, known: this.#known });
    for (const one of found) this.#known.set(one.pid, one);
    return found;
  }
}

/** Turns everything that prevents a start into a value, whether Node throws or emits it. */
function start(
  { argv, cwd, env, stdin }: HostCommand,
  { tag, keepsStdin = false }: GroupOptions,
  onExit: (exit: HostExit) => void,
): ChildProcess | undefined {
  const [file = '', ...args] = argv;
  const notStarted = (error: unknown): void => onExit(toNotStarted(error, file, cwd));
  try {
    const child = spawn(file, args, {
      cwd,
      env: { ...env, [TAG_VARIABLE]: tag },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    child.once('error', (error) => {
      if (child.pid === undefined) notStarted(error);
    });
    child.once('exit', (code, signal) =>
      onExit(signal === null ? { kind: 'code', code: code ?? 0 } : { kind: 'signal', signal }),
    );
    child.stdin?.on('error', () => {}); // it need not read its stdin
    if (keepsStdin) child.stdin?.write(stdin ?? '');
    else child.stdin?.end(stdin);
    return child;
  } catch (error) {
    notStarted(error);
    return undefined;
  }
}

function toNotStarted(error: unknown, file: string, cwd: string): HostExit {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'UNKNOWN';
  // The system reports ENOENT for the program if the folder is missing.
  const hasFolder = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  const message = !hasFolder
    ? `the folder ${cwd} does not exist`
    : `${file} could not be started: ${error instanceof Error ? error.message : String(error)}`;
  return { kind: 'not-started', code, message };
}

/** A child stays in the table, at least as a zombie, until Node waits for it in a later turn. */
function identify(pid: number | undefined): ProcessId | undefined {
  if (pid === undefined) return undefined;
  return { pid, startTime: processTable.row(pid)?.startTime ?? 0 };
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // it has already ended (ESRCH)
  }
}
