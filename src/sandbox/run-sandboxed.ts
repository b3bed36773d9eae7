/**
 * Runs one command under a policy and reports how it ended: on which backend, what was enforced, and whether it ended
 * by itself. Afterwards nothing of it is left: no process, container, cgroup or file.
 */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { DeathGuard } from '../host/process/death-guard.ts';
import { guardAgainstDeath } from '../host/process/death-guard.ts';
import type { OutputSink } from '../host/process/output-drain.ts';
import type { CancelSignal, HostExit } from '../host/process/process-group.ts';
import { ProcessGroup } from '../host/process/process-group.ts';
import { readProcessList, readProcessTree } from '../host/process/read-process.ts';
import { resizeTerminal } from '../host/process/resize-terminal.ts';
import type { ProcessId } from '../host/process/process-table.ts';
import type { ProtectedPaths } from './check-policy.ts';
import { checkPolicy } from './check-policy.ts';
import type { ContainerExitState } from './container-engine.ts';
import { ContainerEngine } from './container-engine.ts';
import type { SandboxFacts, SandboxUser } from './sandbox-facts.ts';
import { SandboxPause } from './pause-sandbox.ts';
import type { Backend, SandboxPolicy } from './policy.ts';
import type { PreparedMounts } from './prepare-mounts.ts';
import { watchDisk } from './watch-disk.ts';
import { prepareMounts } from './prepare-mounts.ts';
import { sandboxUser } from './sandbox-user.ts';
import { hasExitCode, hasStartedContainer, notStarted, STDERR_BYTES_MAX } from './sandbox-start.ts';
import { WRAP } from './wrap.ts';
import type { Enforced, InnerCommand, Wrapped } from './wrapped.ts';

export type SandboxPorts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly facts: SandboxFacts;
  /** Chosen by `chooseBackend`, which has tried it on this machine. */
  readonly backend: Backend;
  readonly protectedPaths: ProtectedPaths;
  /** The user of the command if we are root. Default: a separate user for each policy id. */
  readonly user?: SandboxUser;
};

export type SandboxIo = {
  /** Names each of its processes, as for a process group. */
  readonly tag: string;
  readonly onStdout?: OutputSink;
  readonly onStderr?: OutputSink;
  /** Its standard input stays open for `write`. */
  readonly keepsStdin?: boolean;
  /** The time between the request to end and the kill. */
  readonly graceMs?: number;
};

export type SandboxResult = {
  readonly backend: Backend;
  /** `not-started` if the sandbox itself could not be created. Then the command never ran. */
  readonly exit: HostExit;
  readonly endedBy: 'itself' | 'us' | 'time-limit' | 'disk-limit' | 'disk-full';
  /**
   * Whether memory ran out and a process was killed for it, even if the command ended well. Null if nothing counts
   * this.
   */
  readonly oom: boolean | null;
  /** How many forks failed because of the process limit. Null if nothing counts this. */
  readonly forksRefused: number | null;
  readonly enforced: Enforced;
};

const GRACE_MS = 10_000;

export async function runSandboxed(
  policy: SandboxPolicy,
  command: InnerCommand,
  ports: SandboxPorts,
  io: SandboxIo,
  signal?: AbortSignal,
): Promise<SandboxResult> {
  const started = await startSandboxed(policy, command, ports, io);
  const stop = (): void => void started.stop(io.graceMs ?? GRACE_MS);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    return await started.result;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Resolves once the command has been started. Refuses what the policy or the machine does not allow. */
export async function startSandboxed(
  policy: SandboxPolicy,
  command: InnerCommand,
  ports: SandboxPorts,
  io: SandboxIo,
): Promise<SandboxedCommand> {
  const { facts, backend, random, protectedPaths } = ports;
  checkPolicy(policy, protectedPaths);
  const user = ports.user ?? sandboxUser(policy.id, facts);
  const prepared = await prepareMounts(policy, backend, facts, user, random);
  try {
    const wrapped = WRAP[backend](policy, command, facts, prepared.layout);
    for (const { name, data, isPublic } of wrapped.files)
      await prepared.scratch.write(name, data, isPublic === true ? 0o644 : 0o600);
    return new SandboxedCommand(policy, wrapped, prepared, ports, io);
  } catch (error) {
    await prepared[Symbol.asyncDispose]();
    throw error; // only the preparations are removed here; the caller gets the refusal
  }
}

/** A process group inside a sandbox. It is stopped, killed and awaited like a process group. */
export class SandboxedCommand {
  readonly backend: Backend;
  readonly enforced: Enforced;
  /** The name of its container. Null: it is not a container. */
  readonly container: string | null;
  /** Resolves when everything has ended and is cleaned up. */
  readonly result: Promise<SandboxResult>;
  readonly ended: Promise<HostExit>;

  readonly #group: ProcessGroup;
  readonly #pause: SandboxPause;
  readonly #clock: Clock;
  readonly #tag: string;
  readonly #engine: ContainerEngine | undefined;
  readonly #ended = new AbortController();
  #endedBy: SandboxResult['endedBy'] = 'itself';
  #stderr = '';

  constructor(
    policy: SandboxPolicy,
    wrapped: Wrapped,
    prepared: PreparedMounts,
    { clock, facts }: SandboxPorts,
    { tag, onStdout, onStderr, keepsStdin = false, graceMs = GRACE_MS }: SandboxIo,
  ) {
    const { backend } = wrapped;
    this.#clock = clock;
    this.#tag = tag;
    this.backend = backend;
    this.enforced = wrapped.enforced;
    this.container = wrapped.container;
    const { argv, cwd, env, stdin } = wrapped;
    this.#group = new ProcessGroup(
      { argv, cwd, env, ...(stdin === undefined ? {} : { stdin }) },
      {
        tag,
        clock,
        keepsStdin,
        leaderHolds: wrapped.backend === 'bubblewrap',
        ...(onStdout === undefined ? {} : { onStdout }),
        onStderr: (chunk) => {
          if (this.#stderr.length < STDERR_BYTES_MAX)
            this.#stderr += Buffer.from(chunk).toString('utf8');
          return onStderr?.(chunk);
        },
      },
    );
    // A different tag than the group's: the search for survivors of the group must not find the client that asks for
    // the container's end.
    const engineTag = `${tag}.engine`;
    const engine =
      wrapped.container === null
        ? undefined
        : new ContainerEngine(backend === 'podman' ? 'podman' : 'docker', facts, clock, engineTag);
    this.#engine = engine;
    // The agent can kill the reader of the lifeline, which runs beside it, but it cannot reach this guard.
    const guard =
      engine === undefined || wrapped.container === null
        ? undefined
        : guardAgainstDeath(
            engine.removal(wrapped.container),
            facts.engineEnv,
            facts.tools.sh ?? '/bin/sh',
          );
    const { leader } = this.#group;
    const isTree = backend === 'bubblewrap' && leader !== undefined; // its orphans cannot leave the tree
    this.#pause = new SandboxPause(
      isTree ? readProcessTree(leader.pid) : readProcessList(() => this.#group.members()),
      engine === undefined || this.container === null
        ? undefined
        : { engine, name: this.container },
    );
    this.result = this.#finish(wrapped, prepared, engine, guard);
    this.ended = this.result.then(({ exit }) => exit);
    this.ended.catch(() => undefined); // the caller that awaits `result` gets the error
    if (policy.limits.timeMs !== null) void this.#watchTime(clock, policy.limits.timeMs, graceMs);
    void this.#watchDisk(clock, policy, prepared, engine);
  }

  get leader(): ProcessId | undefined {
    return this.#group.leader;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#group.write(bytes);
  }

  /** Changes the size of the terminal in which the command runs. */
  async resize(size: { readonly rows: number; readonly columns: number }): Promise<void> {
    const inside =
      this.container === null ? undefined : await this.#engine?.findPid(this.container);
    const root = inside ?? this.leader?.pid;
    if (root === undefined) return;
    const tag = `${this.#tag}.resize`;
    await resizeTerminal(readProcessTree(root), size, { clock: this.#clock, tag });
  }

  /** As for a process group: asks, waits, kills. */
  stop(graceMs: number, firstSignal?: CancelSignal): Promise<'ended' | 'killed'> {
    this.#setEndedBy('us');
    return this.#stop(graceMs, firstSignal);
  }

  async kill(): Promise<void> {
    this.#setEndedBy('us');
    void this.#pause.end(); // the kill does not wait: it also ends stopped or paused processes
    await this.#group.kill();
    await this.result;
  }

  async #stop(graceMs: number, firstSignal?: CancelSignal): Promise<'ended' | 'killed'> {
    await this.#pause.end(); // a paused process cannot react to a signal
    const how = await this.#group.stop(graceMs, firstSignal);
    await this.result;
    return how;
  }

  #setEndedBy(cause: SandboxResult['endedBy']): void {
    if (this.#endedBy === 'itself' && !this.#ended.signal.aborted) this.#endedBy = cause;
  }

  async #watchTime(clock: Clock, timeMs: number, graceMs: number): Promise<void> {
    if (!(await clock.sleep(timeMs, this.#ended.signal))) return;
    this.#setEndedBy('time-limit');
    await this.#stop(graceMs).catch(() => undefined); // `result` rejects with the same error
  }

  async #watchDisk(
    clock: Clock,
    policy: SandboxPolicy,
    { scratch }: PreparedMounts,
    engine: ContainerEngine | undefined,
  ): Promise<void> {
    const roots = async (): Promise<readonly number[]> => {
      const inside = this.container === null ? undefined : await engine?.findPid(this.container);
      return [this.leader?.pid, inside].filter((pid) => pid !== undefined);
    };
    const limit = await watchDisk(
      policy,
      scratch.path,
      roots,
      this.#pause,
      clock,
      this.#ended.signal,
    );
    if (limit === undefined) return;
    this.#setEndedBy(limit);
    await this.#group.kill().catch(() => undefined); // `result` rejects with the same error
  }

  async #finish(
    wrapped: Wrapped,
    prepared: PreparedMounts,
    engine: ContainerEngine | undefined,
    guard: DeathGuard | undefined,
  ): Promise<SandboxResult> {
    await using cleared = prepared;
    const { scratch, cgroup } = cleared;
    const { backend, enforced, container } = wrapped;
    const settled =
      engine === undefined || container === null
        ? undefined
        : this.#settleContainer(engine, container);
    try {
      const exit = await this.#group.ended;
      this.#ended.abort();
      const ended = { backend, endedBy: this.#endedBy, enforced };
      if (settled !== undefined) {
        const state = await settled;
        return {
          ...ended,
          exit: hasStartedContainer(exit, state) ? exit : notStarted(this.#stderr, exit),
          oom:
            state === undefined
              ? null
              : state.oomKilled ||
                (backend === 'podman' && exit.kind === 'code' && exit.code === 137),
          forksRefused: null,
        };
      }
      const counters = await cgroup?.counters();
      const hasStarted = backend !== 'bubblewrap' || (await hasExitCode(scratch.path));
      return {
        ...ended,
        exit: hasStarted || exit.kind !== 'code' ? exit : notStarted(this.#stderr, exit),
        oom: enforced.memory === 'cgroup' && counters !== undefined ? counters.oomKills > 0 : null,
        forksRefused: enforced.pids === 'cgroup' ? (counters?.forksRefused ?? null) : null,
      };
    } finally {
      this.#ended.abort();
      await Promise.allSettled([settled, this.#pause.end()]); // whatever else went wrong, the container is removed
      guard?.dismiss();
    }
  }

  /**
   * The exit state of the container, which is then removed. It is read while survivors of its client are searched.
   */
  async #settleContainer(
    engine: ContainerEngine,
    container: string,
  ): Promise<ContainerExitState | undefined> {
    await this.#group.exited;
    try {
      return await engine.findExitState(container);
    } finally {
      await engine.remove(container);
    }
  }
}
