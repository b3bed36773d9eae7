/**
 * One command and all that comes of it, in a session of its own. Its leader may lie, fork, move
 * tools to other sessions or leave a grandchild holding its output: once `ended` has resolved,
 * the output has been delivered and, unless the caller wants them, no survivors are left.
 *
 * What escapes: a process that has cleared its environment, moved to another session and lost
 * its parent before we looked. Only a sandbox with its own process namespace holds those.
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
  /** All of the environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for its standard input; without it that is /dev/null. */
  readonly stdin?: string;
};

export type GroupOptions = {
  /** Names the group in every process of it; a path such as `<owner>/<run>/<command>`. */
  readonly tag: string;
  readonly clock: Clock;
  readonly onStdout?: OutputSink;
  readonly onStderr?: OutputSink;
  /** How long after the leader's exit its output may still come, if others hold it open. */
  readonly drainMs?: number;
  /** Whether what outlives the leader may go on living. */
  readonly keepSurvivors?: boolean;
  /** The leader only holds the others, as a sandbox does: it is never asked to end, since that would kill them. */
  readonly leaderHolds?: boolean;
};

/** How the leader ended. `not-started` has the system's own code, such as ENOENT or E2BIG. */
export type HostExit =
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'not-started'; readonly code: string; readonly message: string };

export type CancelSignal = 'SIGINT' | 'SIGTERM';

const DRAIN_MS = 1000;
const LOOK_MS_MIN = 20;
const LOOK_MS_MAX = 1000;

export class ProcessGroup {
  /** Undefined when it could not be started. */
  readonly leader: ProcessId | undefined;
  /** Resolves when the leader has ended; what it has left behind may live, and its output may be on its way. */
  readonly exited: Promise<HostExit>;
  /** Resolves when it is all over. Rejects only if a sink threw; the group was then killed. */
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
    this.#child = start(command, options.tag, resolve);
    this.exited = promise.then((exit) => {
      this.#hasExited = true;
      return exit;
    });
    this.leader = identify(this.#child?.pid);
    this.ended = this.#finish();
  }

  /** How many even SIGKILL did not end: stuck in the kernel, or not ours to signal. */
  get left(): number {
    return this.#left;
  }

  /**
   * Asks the whole tree to end, waits, then kills what is left. Says `killed` when something had
   * to be. A second call joins the first one; `kill` cuts it short.
   */
  async stop(graceMs: number, ask: CancelSignal = 'SIGTERM'): Promise<'ended' | 'killed'> {
    if (!this.#hasExited) this.#stopping ??= this.#askWaitKill(graceMs, ask);
    const how = (await this.#stopping) ?? 'ended';
    await this.ended;
    return how;
  }

  /** Kills the whole tree at once. Resolves when it is all over. */
  async kill(): Promise<void> {
    await this.#killTree();
    await this.ended;
  }

  /** All that live now: the leader, and what came of it. */
  members(): Promise<readonly ProcessRow[]> {
    return this.#family();
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
      const stopped = await this.#stopping; // which has itself looked until nobody was left
      if (stopped === undefined && (!keepSurvivors || this.#wasKilled)) await this.#sweep();
      await output.toTheLast(clock, drainMs).catch(() => undefined); // told below
      for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
    }
    await output.delivered;
    return exit;
  }

  async #askWaitKill(graceMs: number, ask: CancelSignal): Promise<'ended' | 'killed'> {
    if (this.leader === undefined) return 'ended';
    const deadlineMs = this.#options.clock.elapsedMs() + graceMs;
    const family = await this.#family();
    const spared = this.#options.leaderHolds === true ? this.leader.pid : undefined;
    for (const one of family) if (one.pid !== spared) signalProcess(one, ask);
    if (family.length === 0 && !this.#hasExited) signalGroup(this.leader.pid, ask);
    const gone = (await this.#exitsBy(deadlineMs)) && (await this.#isGoneBy(deadlineMs));
    if (!gone) await this.#killTree();
    return this.#wasKilled ? 'killed' : 'ended';
  }

  async #exitsBy(deadlineMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const over = new AbortController();
    await Promise.race([this.exited, clock.sleep(deadlineMs - clock.elapsedMs(), over.signal)]);
    over.abort();
    return this.#hasExited;
  }

  /** The leader may have been only a wrapper around the real agent, which has the same grace. */
  async #isGoneBy(deadlineMs: number): Promise<boolean> {
    const { clock } = this.#options;
    for (let lookMs = LOOK_MS_MIN; (await this.#family()).length > 0;) {
      if (clock.elapsedMs() >= deadlineMs || this.#wasKilled) return false;
      await clock.sleep(Math.min(lookMs, deadlineMs - clock.elapsedMs()));
      lookMs = Math.min(lookMs * 2, LOOK_MS_MAX);
    }
    return true;
  }

  async #killTree(): Promise<void> {
    if (this.leader === undefined) return;
    this.#wasKilled = true;
    // Before anybody dies: an orphan that has cleared its environment is nobody's child any more.
    await this.#family();
    // The number of the group is certainly ours as long as nobody has waited for the leader.
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

/** Everything that keeps a command from starting is a value here, whether Node throws it or emits it. */
function start(
  { argv, cwd, env, stdin }: HostCommand,
  tag: string,
  onExit: (exit: HostExit) => void,
): ChildProcess | undefined {
  const [file = '', ...args] = argv;
  const notStarted = (error: unknown): void => onExit(whyNotStarted(error, file, cwd));
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
    child.stdin?.on('error', () => {}); // it does not have to read what it is told
    child.stdin?.end(stdin);
    return child;
  } catch (error) {
    notStarted(error);
    return undefined;
  }
}

function whyNotStarted(error: unknown, file: string, cwd: string): HostExit {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'UNKNOWN';
  // The system says ENOENT of the program when it is the folder that is missing.
  const folderIsThere = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true;
  const message = !folderIsThere
    ? `the folder ${cwd} is not there`
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
    // it has ended already (ESRCH)
  }
}
