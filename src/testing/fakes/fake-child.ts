/** Children for a supervisor under test: they exist in memory and end when the test says so. */
import type {
  ChildHandle,
  ChildSpec,
  Exit,
  StartResult,
  SupervisionEvent,
} from '../../supervision/index.ts';

/** `obeys` ends when asked; `stubborn` ends only when killed; `immortal` never ends. */
export type FakeChildMode = 'obeys' | 'stubborn' | 'immortal';

export class FakeChild implements ChildHandle {
  readonly #mode: FakeChildMode;
  readonly #exit = Promise.withResolvers<Exit>();

  constructor(behaviour: FakeChildMode = 'obeys') {
    this.#mode = behaviour;
  }

  get exit(): Promise<Exit> {
    return this.#exit.promise;
  }

  ask(): void {
    if (this.#mode === 'obeys') this.end({ kind: 'shutdown' });
  }

  kill(): void {
    if (this.#mode !== 'immortal') this.end({ kind: 'killed' });
  }

  end(exit: Exit): void {
    this.#exit.resolve(exit);
  }
}

/** The children of one test by their ids, and the events of their supervisor, one line each. */
export class FakeChildren {
  readonly lines: string[] = [];
  readonly #lives = new Map<string, FakeChild>();
  readonly #failures = new Map<string, number>();

  readonly observe = (event: SupervisionEvent): void => {
    this.lines.push(describeEvent(event));
  };

  spec(id: string, more: Partial<ChildSpec> = {}, behaviour?: FakeChildMode): ChildSpec {
    return { id, start: async () => this.start(id, behaviour), ...more };
  }

  start(id: string, behaviour?: FakeChildMode): StartResult {
    const failures = this.#failures.get(id) ?? 0;
    if (failures > 0) {
      this.#failures.set(id, failures - 1);
      return { kind: 'failed', reason: 'told to' };
    }
    const child = new FakeChild(behaviour);
    this.#lives.set(id, child);
    return { kind: 'started', child };
  }

  failNext(id: string, times: number): void {
    this.#failures.set(id, times);
  }

  life(id: string): FakeChild {
    const life = this.#lives.get(id);
    if (life === undefined) throw new Error(`${id} was never started`);
    return life;
  }

  end(id: string, kind: 'normal' | 'failed' = 'failed'): void {
    this.life(id).end(kind === 'failed' ? { kind, reason: 'boom' } : { kind });
  }

  /** The lines since the last call. */
  told(): readonly string[] {
    return this.lines.splice(0);
  }
}

function describeEvent(event: SupervisionEvent): string {
  switch (event.kind) {
    case 'exited':
    case 'stopped':
      return `${event.kind} ${event.id} ${event.exit.kind}`;
    case 'restarting':
      return event.delayMs === 0
        ? `restarting ${event.id}`
        : `restarting ${event.id} in ${event.delayMs}`;
    case 'started':
    case 'ignored':
    case 'start-failed':
    case 'killed':
    case 'unstopped':
    case 'gave-up':
    case 'reverted':
    case 'keep-failed':
    case 'revert-failed':
      return `${event.kind} ${event.id}`;
  }
}
