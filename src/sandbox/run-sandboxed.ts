/**
 * Runs one command under a policy and says how it went: on which backend, held to what, and whether
 * it ended by itself. When it has ended nothing of it is left: no process, container, cgroup or file.
 */
import type { Clock } from '../base/clock.ts';
import { isRecord, parseJson } from '../base/json.ts';
import type { Random } from '../base/random.ts';
import type { DeathGuard } from '../host/process/death-guard.ts';
import { guardAgainstDeath } from '../host/process/death-guard.ts';
import type { OutputSink } from '../host/process/output-drain.ts';
import type { CancelSignal, HostExit } from '../host/process/process-group.ts';
import { ProcessGroup } from '../host/process/process-group.ts';
import { readProcessList, readProcessTree } from '../host/process/read-process.ts';
import type { ProcessId } from '../host/process/process-table.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
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
import { WRAP } from './wrap.ts';
import type { Enforced, InnerCommand, Wrapped } from './wrapped.ts';
import { STATUS_FILE } from './wrapped.ts';

export type SandboxPorts = {
  readonly clock: Clock;
  readonly luck: Random;
  readonly facts: SandboxFacts;
  /** Chosen by `chooseBackend`, which has tried it on this machine. */
  readonly backend: Backend;
  readonly precious: ProtectedPaths;
  /** Whom it belongs to when we are root; by default a user of its own for each policy id. */
  readonly user?: SandboxUser;
};

export type SandboxIo = {
  /** Names every process of it, as for a process group. */
  readonly tag: string;
  readonly onStdout?: OutputSink;
  readonly onStderr?: OutputSink;
  /** Between being asked to end and being killed. */
  readonly graceMs?: number;
};

export type SandboxResult = {
  readonly backend: Backend;
  /** `not-started` when the sandbox itself could not be made; the command then never ran. */
  readonly exit: HostExit;
  readonly endedBy: 'itself' | 'us' | 'time-limit' | 'disk-limit' | 'disk-full';
  /** Whether memory ran out and something was killed for it, also where the command ended well; null where nobody counts. */
  readonly oom: boolean | null;
  /** Processes that were refused since there were enough; null where nobody counts. */
  readonly forksRefused: number | null;
  readonly enforced: Enforced;
};

const GRACE_MS = 10_000;
const SAID_BYTES_MAX = 2000;
const STATUS_BYTES_MAX = 10_000;

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

/** Resolves once it has been started. Refuses what the policy or the machine does not allow. */
export async function startSandboxed(
  policy: SandboxPolicy,
  command: InnerCommand,
  ports: SandboxPorts,
  io: SandboxIo,
): Promise<SandboxedCommand> {
  const { facts, backend, luck, precious } = ports;
  checkPolicy(policy, precious);
  const user = ports.user ?? sandboxUser(policy.id, facts);
  const prepared = await prepareMounts(policy, backend, facts, user, luck);
  try {
    const wrapped = WRAP[backend](policy, command, facts, prepared.layout);
    for (const { name, data, isPublic } of wrapped.files)
      await prepared.scratch.write(name, data, isPublic === true ? 0o644 : 0o600);
    return new SandboxedCommand(policy, wrapped, prepared, ports, io);
  } catch (error) {
    await prepared[Symbol.asyncDispose]();
    throw error; // a refusal of the backend: only what was prepared is our business here
  }
}

/** A process group that is held by a sandbox: it is stopped, killed and awaited in the same words. */
export class SandboxedCommand {
  readonly backend: Backend;
  readonly enforced: Enforced;
  /** What its engine calls it; null: it is no container. */
  readonly container: string | null;
  /** Resolves when it is all over and cleared away. */
  readonly result: Promise<SandboxResult>;
  readonly ended: Promise<HostExit>;

  readonly #group: ProcessGroup;
  readonly #hold: SandboxPause;
  readonly #over = new AbortController();
  #endedBy: SandboxResult['endedBy'] = 'itself';
  #said = '';

  constructor(
    policy: SandboxPolicy,
    wrapped: Wrapped,
    prepared: PreparedMounts,
    { clock, facts }: SandboxPorts,
    { tag, onStdout, onStderr, graceMs = GRACE_MS }: SandboxIo,
  ) {
    const { backend } = wrapped;
    this.backend = backend;
    this.enforced = wrapped.enforced;
    this.container = wrapped.container;
    const { argv, cwd, env, stdin } = wrapped;
    this.#group = new ProcessGroup(
      { argv, cwd, env, ...(stdin === undefined ? {} : { stdin }) },
      {
        tag,
        clock,
        leaderHolds: wrapped.backend === 'bubblewrap',
        ...(onStdout === undefined ? {} : { onStdout }),
        onStderr: (chunk) => {
          if (this.#said.length < SAID_BYTES_MAX) this.#said += Buffer.from(chunk).toString('utf8');
          return onStderr?.(chunk);
        },
      },
    );
    // A name beside the group's: what looks for its survivors must not find who asks of its end.
    const aside = `${tag}.engine`;
    const engine =
      wrapped.container === null
        ? undefined
        : new ContainerEngine(backend === 'podman' ? 'podman' : 'docker', facts, clock, aside);
    // The agent can kill the reader of the lifeline, which runs beside it; it can't reach this.
    const guard =
      engine === undefined || wrapped.container === null
        ? undefined
        : guardAgainstDeath(
            engine.removal(wrapped.container),
            facts.engineEnv,
            facts.tools.sh ?? '/bin/sh',
          );
    const { leader } = this.#group;
    const isTree = backend === 'bubblewrap' && leader !== undefined; // which no orphan leaves
    this.#hold = new SandboxPause(
      isTree ? readProcessTree(leader.pid) : readProcessList(() => this.#group.members()),
      engine === undefined || this.container === null
        ? undefined
        : { engine, name: this.container },
    );
    this.result = this.#finish(wrapped, prepared, engine, guard);
    this.ended = this.result.then(({ exit }) => exit);
    this.ended.catch(() => undefined); // whoever awaits `result` hears of it
    if (policy.limits.timeMs !== null) void this.#watchTime(clock, policy.limits.timeMs, graceMs);
    void this.#watchDisk(clock, policy, prepared, engine);
  }

  get leader(): ProcessId | undefined {
    return this.#group.leader;
  }

  /** As for a process group: asks, waits, kills. */
  stop(graceMs: number, askSignal?: CancelSignal): Promise<'ended' | 'killed'> {
    this.#blame('us');
    return this.#stop(graceMs, askSignal);
  }

  async kill(): Promise<void> {
    this.#blame('us');
    void this.#hold.end(); // the kill does not wait: it ends what is stopped or paused too
    await this.#group.kill();
    await this.result;
  }

  async #stop(graceMs: number, askSignal?: CancelSignal): Promise<'ended' | 'killed'> {
    await this.#hold.end(); // what is held still can't answer
    const how = await this.#group.stop(graceMs, askSignal);
    await this.result;
    return how;
  }

  #blame(who: SandboxResult['endedBy']): void {
    if (this.#endedBy === 'itself' && !this.#over.signal.aborted) this.#endedBy = who;
  }

  async #watchTime(clock: Clock, timeMs: number, graceMs: number): Promise<void> {
    if (!(await clock.sleep(timeMs, this.#over.signal))) return;
    this.#blame('time-limit');
    await this.#stop(graceMs).catch(() => undefined); // `result` rejects with the same
  }

  async #watchDisk(
    clock: Clock,
    policy: SandboxPolicy,
    { scratch }: PreparedMounts,
    engine: ContainerEngine | undefined,
  ): Promise<void> {
    const roots = async (): Promise<readonly number[]> => {
      const inside = this.container === null ? undefined : await engine?.pidOf(this.container);
      return [this.leader?.pid, inside].filter((pid) => pid !== undefined);
    };
    const passed = await watchDisk(
      policy,
      scratch.path,
      roots,
      this.#hold,
      clock,
      this.#over.signal,
    );
    if (passed === undefined) return;
    this.#blame(passed);
    await this.#group.kill().catch(() => undefined); // `result` rejects with the same
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
      this.#over.abort();
      const ended = { backend, endedBy: this.#endedBy, enforced };
      if (settled !== undefined) {
        const state = await settled;
        return {
          ...ended,
          exit: hasStartedContainer(exit, state) ? exit : notStarted(this.#said, exit),
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
        exit: hasStarted || exit.kind !== 'code' ? exit : notStarted(this.#said, exit),
        oom: enforced.memory === 'cgroup' && counters !== undefined ? counters.oomKills > 0 : null,
        forksRefused: enforced.pids === 'cgroup' ? (counters?.forksRefused ?? null) : null,
      };
    } finally {
      this.#over.abort();
      await Promise.allSettled([settled, this.#hold.end()]); // whatever else went wrong, the container is gone
      guard?.dismiss();
    }
  }

  /** How its container ended, which is gone then. Asked while what its client has left is looked for. */
  async #settleContainer(
    engine: ContainerEngine,
    container: string,
  ): Promise<ContainerExitState | undefined> {
    await this.#group.exited;
    try {
      return await engine.stateOf(container);
    } finally {
      await engine.remove(container);
    }
  }
}

/** bubblewrap says the code of the command only if there was a command. */
async function hasExitCode(scratch: string): Promise<boolean> {
  const text = (await readTextFile(`${scratch}/${STATUS_FILE}`, STATUS_BYTES_MAX)) ?? '';
  return text.split('\n').some((line) => {
    const said = parseJson(line);
    return isRecord(said) && typeof said['exit-code'] === 'number';
  });
}

/**
 * Whether the command ran. If the engine has no record of the container, only the exit code is left: docker
 * and podman exit with 125, 126 or 127 if they can't start the command, and with its own code otherwise.
 */
export function hasStartedContainer(
  exit: HostExit,
  state: ContainerExitState | undefined,
): boolean {
  if (exit.kind !== 'code') return exit.kind === 'signal';
  return state?.started ?? (exit.code < 125 || exit.code > 127);
}

function notStarted(output: string, exit: HostExit): HostExit {
  const text = output.trim().slice(0, SAID_BYTES_MAX);
  const code = exit.kind === 'code' ? ` with exit code ${exit.code}` : '';
  const reason = text === '' ? `its program ended${code} and printed nothing` : text;
  const message = `the sandbox could not be made: ${reason}`;
  return { kind: 'not-started', code: 'SANDBOX', message };
}
