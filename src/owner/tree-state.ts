/** Combines the events of the owner's supervisors into one view of the whole tree. */
import type { Clock } from '../base/clock.ts';
import type { TreeNode, TreeView } from '../protocol/views/tree-view.ts';
import type { Exit, Strategy, SupervisionEvent } from '../supervision/index.ts';

type Node = Omit<TreeNode, 'health' | 'agent' | 'project' | 'budget'> & {
  readonly failedAtMs: number | null;
};

/** A node is `recovering` for this long after its last failure, then `well`. */
export const RECOVERING_MS = 60_000;

export function treeHealth(
  { state, failedAtMs }: Pick<Node, 'state' | 'failedAtMs'>,
  elapsedMs: number,
): TreeNode['health'] {
  if (state !== 'running') return 'down';
  return failedAtMs !== null && elapsedMs - failedAtMs < RECOVERING_MS ? 'recovering' : 'well';
}

export class TreeState {
  readonly #clock: Clock;
  readonly #nodes = new Map<string, Node>();
  readonly #strategies = new Map<string, Strategy>();
  readonly #waiting = new Set<() => void>();
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Adds a supervisor and returns the function that receives its events. Children of a dynamic
   * supervisor leave the view when they end.
   */
  supervisor(id: string, strategy: Strategy): (event: SupervisionEvent) => void {
    this.#strategies.set(id, strategy);
    if (!id.includes('/')) this.#set(id, { state: 'running' });
    else if (this.#nodes.has(id)) this.#set(id, {}); // the node exists already: its parent reported it first, or it was restarted
    return (event) => this.#receive(id, strategy, event);
  }

  /** Sets the note that a component shows in the tree. An empty text removes it. */
  note(id: string, text: string): void {
    const note = text === '' ? null : text;
    const node = this.#nodes.get(id);
    if (node !== undefined && node.note !== note) this.#set(id, { note });
  }

  /** Notifies followers of a change in data that is shown together with the tree. */
  touch(): void {
    this.#changed();
  }

  /** Removes a node that is not shown any more, such as an agent that ended. */
  forget(id: string): void {
    if (this.#nodes.has(id)) this.#forget(id);
  }

  view(): TreeView {
    const elapsedMs = this.#clock.elapsedMs();
    const children = Map.groupBy(this.#nodes.values(), ({ parent }) => parent);
    const walk = (parent: string | null): TreeNode[] =>
      (children.get(parent) ?? []).flatMap((node) => {
        const { failedAtMs, ...shown } = node;
        const health = treeHealth({ state: node.state, failedAtMs }, elapsedMs);
        return [{ ...shown, health, agent: null, project: null, budget: null }, ...walk(node.id)];
      });
    return { at: this.#clock.now(), nodes: walk(null) };
  }

  /** Yields the view now and after each change. Changes between two reads are combined. */
  async *follow(signal: AbortSignal): AsyncGenerator<TreeView, void> {
    for (let seenVersion = -1; await this.#isNewer(seenVersion, signal);) {
      seenVersion = this.#version;
      yield this.view();
    }
  }

  #receive(id: string, strategy: Strategy, event: SupervisionEvent): void {
    const child = `${id}/${event.id}`;
    const failed = { failedAtMs: this.#clock.elapsedMs() };
    switch (event.kind) {
      case 'started':
        return this.#set(child, { state: 'running' });
      case 'exited':
        if (strategy === 'dynamic' && isExpected(event.exit)) return this.#forget(child);
        return this.#set(child, { state: 'down', ...failed, why: describeExit(event.exit) });
      case 'start-failed':
        return this.#set(child, { state: 'restarting', ...failed, why: event.reason });
      case 'restarting':
        return this.#set(child, {
          state: 'restarting',
          restarts: (this.#nodes.get(child)?.restarts ?? 0) + 1,
        });
      case 'ignored':
      case 'stopped':
      case 'killed':
      case 'reverted':
        if (strategy === 'dynamic') return this.#forget(child);
        return this.#set(child, { state: 'down' });
      case 'gave-up':
      case 'unstopped':
      case 'keep-failed':
      case 'revert-failed':
        return this.#set(child, { state: 'down' });
    }
  }

  #set(
    id: string,
    change: Partial<Pick<Node, 'state' | 'restarts' | 'failedAtMs' | 'why' | 'note'>>,
  ): void {
    const slash = id.lastIndexOf('/');
    const before = this.#nodes.get(id);
    const strategy = this.#strategies.get(id) ?? null;
    const state = change.state ?? before?.state ?? 'down';
    this.#nodes.set(id, {
      id,
      name: id.slice(slash + 1),
      parent: slash === -1 ? null : id.slice(0, slash),
      since: before !== undefined && before.state === state ? before.since : this.#clock.now(),
      restarts: before?.restarts ?? 0,
      why: before?.why ?? null,
      note: before?.note ?? null,
      failedAtMs: before?.failedAtMs ?? null,
      ...change,
      state,
      type: strategy === null ? 'worker' : 'supervisor',
      strategy,
    });
    this.#changed();
  }

  #forget(id: string): void {
    this.#nodes.delete(id);
    this.#changed();
  }

  #changed(): void {
    this.#version += 1;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Waits for a newer version. Returns false if the signal aborts. */
  async #isNewer(seenVersion: number, signal: AbortSignal): Promise<boolean> {
    if (seenVersion === this.#version && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wake = (): void => resolve();
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      await promise;
      signal.removeEventListener('abort', wake);
      this.#waiting.delete(wake);
    }
    return !signal.aborted;
  }
}

function isExpected({ kind }: Exit): boolean {
  return kind === 'normal' || kind === 'shutdown';
}

function describeExit(exit: Exit): string {
  if (exit.kind === 'failed') return exit.reason;
  return exit.kind === 'shutdown' ? (exit.detail ?? 'it gave up') : exit.kind;
}
