/**
 * A long-lived agent as a supervisor's child. Its life is told by the facts of its run and begun and ended
 * by signals to it, so a supervisor can be lost with its owner while the agent's life goes on.
 */
import type { RunId } from '../../base/ids.ts';
import { KIND_RULES } from '../../agents/kinds.ts';
import type { Signal } from '../../protocol/event.ts';
import { isNormalExit } from '../../supervision/exit.ts';
import type { ChildHandle, ChildSpec, Exit, StartResult } from '../../supervision/index.ts';
import type { AgentRecord, AgentRegistry } from './agent-registry.ts';

export type AgentPorts = {
  readonly book: AgentRegistry;
  /** Resolves when it is durable. */
  readonly signal: (run: RunId, signal: Signal) => Promise<void>;
  /** Resolves when all restarts that were counted are durable. */
  readonly flushed: () => Promise<void>;
  /** True the first time that it is asked about an agent: an earlier owner may have left it in the middle of something. */
  readonly isFirst: (run: RunId) => boolean;
  /** The owner lets go of everything: nothing is written, the next one goes on. */
  readonly isLeaving: () => boolean;
  readonly log: (line: string) => void;
};

/** Beyond the grace of its CLI: what is kept of the work takes time too. */
const KEEPING_MS = 30_000;

/** `escalates`: when it may not be restarted once more, its supervisor gives up too, as in OTP. */
export function agentChild(record: AgentRecord, escalates: boolean, ports: AgentPorts): ChildSpec {
  const { run, settings, attempt } = record;
  const { type, restartsMax, withinMs, backoff } = settings.restart;
  const { shutdownMs, whenSpent } = KIND_RULES[settings.kind];
  return {
    id: run,
    restart: type,
    shutdown: Math.max(shutdownMs, attempt.graceMs + KEEPING_MS),
    intensity: {
      restartsMax,
      withinMs,
      whenFull: escalates && whenSpent === 'escalate' ? 'escalate' : 'leave',
    },
    ...(backoff === null ? {} : { backoff }),
    start: (signal) => begin(run, signal, ports),
  };
}

const LEAVING: StartResult = { kind: 'failed', reason: 'the owner is leaving' };

async function begin(run: RunId, signal: AbortSignal, ports: AgentPorts): Promise<StartResult> {
  await ports.flushed();
  const { book } = ports;
  const record = book.get(run);
  if (record === undefined || record.standing.over) return { kind: 'ignored' };
  const { life, isEnding, wantsLife } = record.standing;
  const isLeftOver = ports.isFirst(run) && life > 0;
  const goOn = (number: number): StartResult => ({
    kind: 'started',
    child: new AgentLife(run, number, ports),
  });
  if (life > 0 && record.standing.exit === null && !isEnding) return goOn(life);
  // A supervisor before us has ended it and could not wait: this life is not ours to go on with.
  const down = await book.until(run, ({ standing }) => !standing.isEnding, signal);
  if (down === undefined) return LEAVING;
  const { exit, over } = down.standing;
  if (over) return { kind: 'ignored' };
  // It waits for a person; an end that nobody has decided upon yet is one that just happened.
  if (isLeftOver && record.isSpent && !wantsLife) return { kind: 'ignored' };
  if (isLeftOver && exit !== null && !isNormalExit(exit) && !wantsLife) return goOn(life);
  await ports.signal(run, { kind: 'live', life: life + 1 });
  const begun = await book.until(
    run,
    ({ standing }) => standing.life > life || standing.over,
    signal,
  );
  if (begun === undefined) return LEAVING;
  return begun.standing.over ? { kind: 'ignored' } : goOn(life + 1);
}

/** One life. It ends as its facts say; one that is over altogether is taken out by whoever asks it to end. */
class AgentLife implements ChildHandle {
  readonly #run: RunId;
  readonly #life: number;
  readonly #ports: AgentPorts;
  readonly #exit = Promise.withResolvers<Exit>();
  readonly #unwatch: () => void;
  #asked = false;

  constructor(run: RunId, life: number, ports: AgentPorts) {
    this.#run = run;
    this.#life = life;
    this.#ports = ports;
    this.#unwatch = ports.book.watchOne(run, () => this.#look());
    this.#look();
  }

  get exit(): Promise<Exit> {
    return this.#exit.promise;
  }

  ask(): void {
    this.#end('its supervisor restarts it with a sibling, or gives up');
  }

  /** Its turn has a grace of its own, after which it is killed: there is nothing more to be done. */
  kill(): void {
    this.#end('it did not end when it was asked to');
  }

  #end(because: string): void {
    this.#asked = true;
    if (this.#ports.isLeaving()) return this.#over({ kind: 'shutdown' });
    this.#look();
    const standing = this.#ports.book.get(this.#run)?.standing;
    if (standing === undefined || standing.over || standing.exit !== null) return;
    this.#ports.signal(this.#run, { kind: 'halt', because }).catch((error: unknown) => {
      this.#ports.log(`agent ${this.#run} can't be told to end: ${String(error)}`);
    });
  }

  #look(): void {
    const standing = this.#ports.book.get(this.#run)?.standing;
    if (standing === undefined) return this.#over({ kind: 'shutdown', detail: 'gone' });
    // Over is not the end of a life that somebody may restart.
    if (standing.over)
      return this.#asked ? this.#over({ kind: 'shutdown', detail: 'over' }) : undefined;
    if (standing.life > this.#life) return this.#over({ kind: 'shutdown' });
    if (standing.exit !== null) this.#over(standing.exit);
  }

  #over(exit: Exit): void {
    this.#unwatch();
    this.#exit.resolve(exit);
  }
}
