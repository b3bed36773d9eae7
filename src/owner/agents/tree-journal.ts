/**
 * Stores the tree of long-lived agents: which supervisors each project has declared, and how often
 * each child was restarted. A restart is recorded before it is carried out, so the next owner has
 * the same tree.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { parseRunId } from '../../base/ids.ts';
import type { Payload, TreeEvent } from '../../protocol/event.ts';
import { TREE_STREAM } from '../../protocol/streams.ts';
import type { TreePlace, TreeSnapshot } from '../../protocol/tree-place.ts';
import type { Journal } from '../../store/journal.ts';
import { Projection } from '../../store/projection.ts';
import type { RestartHistory } from '../../supervision/index.ts';

const SNAPSHOT_EVERY = 1000;
/** No restart window needs more restarts of one supervisor than this. */
const RESTARTS_MAX = 10_000;

const EMPTY_TREE: TreeSnapshot = { places: {}, histories: {}, counts: {} };
const NO_HISTORY: RestartHistory = { restarts: [], children: {} };

export class TreeJournal {
  readonly #stored: Projection<TreeSnapshot, typeof TREE_STREAM>;

  private constructor(stored: Projection<TreeSnapshot, typeof TREE_STREAM>) {
    this.#stored = stored;
  }

  static async open(journal: Journal, clock: Clock): Promise<TreeJournal> {
    const stored = await Projection.open({
      journal,
      clock,
      stream: TREE_STREAM,
      initial: EMPTY_TREE,
      fold: foldTree,
      snapshots: {
        kind: 'events',
        every: SNAPSHOT_EVERY,
        type: 'tree.snapshot',
        make: (tree) => ({ type: 'tree.snapshot', payload: { tree } }),
      },
    });
    return new TreeJournal(stored);
  }

  get #tree(): TreeSnapshot {
    return this.#stored.state;
  }

  /** The declared places of a project. A parent comes before its children. */
  places(project: string): readonly TreePlace[] {
    return this.#tree.places[project] ?? [];
  }

  get projects(): readonly string[] {
    return Object.keys(this.#tree.places);
  }

  restartHistory(supervisor: string): RestartHistory {
    return this.#tree.histories[supervisor] ?? NO_HISTORY;
  }

  /** How often a child was restarted because of its own failure, by its path in the tree. */
  restartCount(path: string): number {
    return this.#tree.counts[path] ?? 0;
  }

  /** Resolves when the declaration is durable. A refused declaration has no effect. */
  async declare(project: string, places: readonly TreePlace[]): Promise<void> {
    if (JSON.stringify(this.places(project)) === JSON.stringify(places)) return this.flushed();
    const { places: previous } = this.#tree;
    this.#stored.put({ ...this.#tree, places: { ...previous, [project]: [...places] } });
    try {
      await this.#stored.snapshot('refuse');
    } catch (error) {
      this.#stored.put({ ...this.#tree, places: previous });
      throw error;
    }
  }

  /** Resets the restart history of a supervisor that restarts. */
  async resetHistory(supervisor: string): Promise<void> {
    if (this.#tree.histories[supervisor] === undefined) return;
    const { [supervisor]: _, ...histories } = this.#tree.histories;
    this.#stored.put({ ...this.#tree, histories });
    await this.#stored.snapshot('wait');
  }

  /** Records a restart before it is carried out. `flushed` resolves when it is durable. */
  restarting(payload: Payload<'tree.restarting'>): void {
    this.#stored.put(withRestart(this.#tree, payload));
    void this.#stored.store([{ type: 'tree.restarting', payload }], 'wait');
  }

  /** Calls `forget` for all agents that are not known any more. */
  forgetUnless(isKnown: (run: RunId) => boolean): void {
    for (const path of Object.keys(this.#tree.counts)) {
      const slash = path.lastIndexOf('/');
      const run = parseRunId(path.slice(slash + 1));
      if (run !== undefined && !isKnown(run)) this.forget(path.slice(0, slash), run);
    }
  }

  /** Removes the restart history of a child that does not exist any more. */
  forget(supervisor: string, child: string): void {
    const history = this.#tree.histories[supervisor];
    const path = `${supervisor}/${child}`;
    if (history?.children[child] === undefined && this.#tree.counts[path] === undefined) return;
    const { [path]: _, ...counts } = this.#tree.counts;
    this.#stored.put({ ...this.#tree, counts });
    if (history === undefined) return;
    const { [child]: __, ...children } = history.children;
    const histories = { ...this.#tree.histories, [supervisor]: { ...history, children } };
    this.#stored.put({ ...this.#tree, histories });
  }

  /** Resolves when every restart so far is durable. Rejects if the last one could not be written. */
  flushed(): Promise<void> {
    return this.#stored.flushed();
  }
}

function foldTree(tree: TreeSnapshot, { type, payload }: TreeEvent): TreeSnapshot {
  return type === 'tree.snapshot' ? payload.tree : withRestart(tree, payload);
}

function withRestart(
  tree: TreeSnapshot,
  { supervisor, child, at, restarts, streak }: Payload<'tree.restarting'>,
): TreeSnapshot {
  const path = `${supervisor}/${child}`;
  const { restarts: previous, children } = tree.histories[supervisor] ?? NO_HISTORY;
  const history = {
    restarts: [...previous, at].slice(-RESTARTS_MAX),
    children: { ...children, [child]: { restarts, streak } },
  };
  return {
    places: tree.places,
    histories: { ...tree.histories, [supervisor]: history } as TreeSnapshot['histories'],
    counts: { ...tree.counts, [path]: (tree.counts[path] ?? 0) + 1 },
  };
}
