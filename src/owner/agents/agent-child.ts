/**
 * A long-lived agent as a child of a supervisor. Signals to its run start and end its lives, and
 * the facts of its run tell how a life ended. So a life can continue under the next owner after a
 * supervisor has died with its owner.
 */
import type { RunId } from '../../base/ids.ts';
import { KIND_RULES } from '../../agents/kinds.ts';
import type { Signal } from '../../protocol/signal.ts';
import { isNormalExit } from '../../supervision/exit.ts';
import type { ChildHandle, ChildSpec, Exit, StartResult } from '../../supervision/index.ts';
import type { AgentRecord, AgentRegistry } from './agent-registry.ts';

export type AgentPorts = {
  readonly registry: AgentRegistry;
  /** Resolves when the signal is durable. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** Resolves when all counted restarts are durable. */
  readonly flushed: () => Promise<void>;
  /**
   * True on the first call for an agent. An earlier owner may have left that agent in any state.
   */
  readonly isFirst: (run: RunId) => boolean;
  /** True while the owner shuts down. Nothing is written then, and the next owner continues. */
  readonly isClosing: () => boolean;
  readonly log: (line: string) => void;
};

/** Added to the grace of the CLI, because committing the work takes time too. */
const COMMIT_MS = 30_000;

/**
 * If `escalates` is true, an agent without restarts left makes its supervisor give up too, as in
 * OTP.
 */
export function agentChild(
  record: AgentRecord,
  ports: AgentPorts,
  { escalates }: { readonly escalates: boolean },
): ChildSpec {
  const { run, settings, attempt } = record;
  const { type, restartsMax, withinMs, backoff } = settings.restart;
  const { shutdownMs, whenExhausted } = KIND_RULES[settings.kind];
  return {
    id: run,
    restart: type,
    shutdown: Math.max(shutdownMs, attempt.graceMs + COMMIT_MS),
    intensity: {
      restartsMax,
      withinMs,
      whenFull: escalates && whenExhausted === 'escalate' ? 'escalate' : 'leave',
    },
    ...(backoff === null ? {} : { backoff }),
    start: (signal) => startLife(run, signal, ports),
  };
}

const CLOSING: StartResult = { kind: 'failed', reason: 'the owner is shutting down' };

async function startLife(run: RunId, signal: AbortSignal, ports: AgentPorts): Promise<StartResult> {
  await ports.flushed();
  const { registry } = ports;
  const record = registry.get(run);
  if (record === undefined || record.status.isOver) return { kind: 'ignored' };
  const { life, isEnding, restartRequested } = record.status;
  const isFromEarlierOwner = ports.isFirst(run) && life > 0;
  const adoptLife = (number: number): StartResult => ({
    kind: 'started',
    child: new AgentLife(run, number, ports),
  });
  if (life > 0 && record.status.exit === null && !isEnding) return adoptLife(life);
  // A previous supervisor sent `end-life` but died before the agent exited. Wait for that exit instead
  // of adopting the dying life.
  const idle = await registry.until(run, ({ status }) => !status.isEnding, signal);
  if (idle === undefined) return CLOSING;
  const { exit, isOver } = idle.status;
  if (isOver) return { kind: 'ignored' };
  // An exhausted agent waits for a person. Any other bad exit that no supervisor has handled yet
  // counts as one that just happened, so that this supervisor handles it.
  if (isFromEarlierOwner && record.isExhausted && !restartRequested) return { kind: 'ignored' };
  if (isFromEarlierOwner && exit !== null && !isNormalExit(exit) && !restartRequested)
    return adoptLife(life);
  await ports.signal(run, { kind: 'start-life', life: life + 1 });
  const started = await registry.until(
    run,
    ({ status }) => status.life > life || status.isOver,
    signal,
  );
  if (started === undefined) return CLOSING;
  return started.status.isOver ? { kind: 'ignored' } : adoptLife(life + 1);
}

/**
 * One life of an agent. It exits as the facts of the run say. If the run is over, it exits only
 * when the supervisor asks it to end.
 */
class AgentLife implements ChildHandle {
  readonly #run: RunId;
  readonly #life: number;
  readonly #ports: AgentPorts;
  readonly #exit = Promise.withResolvers<Exit>();
  readonly #unwatch: () => void;
  #isEnding = false;

  constructor(run: RunId, life: number, ports: AgentPorts) {
    this.#run = run;
    this.#life = life;
    this.#ports = ports;
    this.#unwatch = ports.registry.watchOne(run, () => this.#update());
    this.#update();
  }

  get exit(): Promise<Exit> {
    return this.#exit.promise;
  }

  ask(): void {
    this.#end('its supervisor restarts it together with a sibling, or gives up');
  }

  /**
   * A turn that does not end within its grace is killed by its performer, so there is nothing else
   * to do here.
   */
  kill(): void {
    this.#end('it did not end within its grace');
  }

  #end(because: string): void {
    this.#isEnding = true;
    if (this.#ports.isClosing()) return this.#resolveExit({ kind: 'shutdown' });
    this.#update();
    const status = this.#ports.registry.get(this.#run)?.status;
    if (status === undefined || status.isOver || status.exit !== null) return;
    this.#ports.signal(this.#run, { kind: 'end-life', because }).catch((error: unknown) => {
      this.#ports.log(`could not send the signal to end to agent ${this.#run}: ${String(error)}`);
    });
  }

  #update(): void {
    const status = this.#ports.registry.get(this.#run)?.status;
    if (status === undefined) return this.#resolveExit({ kind: 'shutdown', detail: 'gone' });
    // If the run is over, the life must not exit by itself, because the supervisor would restart
    // it.
    if (status.isOver)
      return this.#isEnding ? this.#resolveExit({ kind: 'shutdown', detail: 'over' }) : undefined;
    if (status.life > this.#life) return this.#resolveExit({ kind: 'shutdown' });
    if (status.exit !== null) this.#resolveExit(status.exit);
  }

  #resolveExit(exit: Exit): void {
    this.#unwatch();
    this.#exit.resolve(exit);
  }
}
