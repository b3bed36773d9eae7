/**
 * Stores the tree of long-lived agents: which supervisors each project has declared, and how often
 * each child was restarted. A restart is recorded before it is carried out, so the next owner has
 * the same tree.
 */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import { parseRunId } from '../../base/ids.ts';
import type { TreeSnapshot, NewTreeEvent, Payload, TreeEvent } from '../../protocol/event.ts';
import { TREE_STREAM } from '../../protocol/event.ts';
import type { TreePlace } from '../../protocol/tree-place.ts';
import type { Journal } from '../../store/journal.ts';
import type { RestartHistory } from '../../supervision/index.ts';
import { retryWhileDiskFull } from '../../base/retry-while-disk-full.ts';

const PAGE = 1000;
/** After this many facts a snapshot is written, so that opening reads no further back. */
const KEEP_EVERY = 1000;
/** No restart window needs more restarts of one supervisor than this. */
const RESTARTS_MAX = 10_000;

const NOTHING: TreeSnapshot = { places: {}, histories: {}, counts: {} };
const NO_HISTORY: RestartHistory = { restarts: [], children: {} };

/**
 * On a full disk, a declaration by a person is refused at once. A fact of a supervisor waits until
 * there is space.
 */
type OnFull = 'wait' | 'refuse';

export class TreeJournal {
  readonly #journal: Journal;
  readonly #clock: Clock;
  #tree: TreeSnapshot;
  #sinceKept: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(journal: Journal, clock: Clock, tree: TreeSnapshot, sinceKept: number) {
    this.#journal = journal;
    this.#clock = clock;
    this.#tree = tree;
    this.#sinceKept = sinceKept;
  }

  static async open(journal: Journal, clock: Clock): Promise<TreeJournal> {
    const last = await journal.lastSeq(TREE_STREAM);
    let facts: readonly TreeEvent[] = [];
    for (let before = last; before > 0; before -= PAGE) {
      const after = Math.max(0, before - PAGE);
      const page = await journal.readStream(TREE_STREAM, { after, limit: before - after });
      facts = [...page, ...facts];
      if (page.some(({ type }) => type === 'tree.kept')) break;
    }
    const tree = facts.reduce(foldTree, NOTHING);
    const kept = facts.findLastIndex(({ type }) => type === 'tree.kept');
    return new TreeJournal(journal, clock, tree, facts.length - 1 - kept);
  }

  /** The declared places of a project. A parent comes before its children. */
  places(project: string): readonly TreePlace[] {
    return this.#tree.places[project] ?? [];
  }

  get projects(): readonly string[] {
    return Object.keys(this.#tree.places);
  }

  historyOf(supervisor: string): RestartHistory {
    return this.#tree.histories[supervisor] ?? NO_HISTORY;
  }

  /** How often a child was restarted because of its own failure, by its path in the tree. */
  countOf(place: string): number {
    return this.#tree.counts[place] ?? 0;
  }

  /** Resolves when the declaration is durable. A refused declaration has no effect. */
  async declare(project: string, places: readonly TreePlace[]): Promise<void> {
    if (JSON.stringify(this.places(project)) === JSON.stringify(places)) return this.flushed();
    const { places: before } = this.#tree;
    this.#tree = { ...this.#tree, places: { ...before, [project]: [...places] } };
    try {
      await this.#keep('refuse');
    } catch (error) {
      this.#tree = { ...this.#tree, places: before };
      throw error;
    }
  }

  /** Resets the restart history of a supervisor that restarts. */
  async resetHistory(supervisor: string): Promise<void> {
    if (this.#tree.histories[supervisor] === undefined) return;
    const { [supervisor]: _, ...histories } = this.#tree.histories;
    this.#tree = { ...this.#tree, histories };
    await this.#keep('wait');
  }

  /** Records a restart before it is carried out. `flushed` resolves when the fact is durable. */
  restarting(fact: Payload<'tree.restarting'>): void {
    this.#tree = withRestart(this.#tree, fact);
    void this.#write({ type: 'tree.restarting', payload: fact }, 'wait');
    this.#sinceKept += 1;
    if (this.#sinceKept > KEEP_EVERY) void this.#keep('wait');
  }

  /** Calls `forget` for all agents that are not known any more. */
  forgetUnless(isKnown: (run: RunId) => boolean): void {
    for (const place of Object.keys(this.#tree.counts)) {
      const cut = place.lastIndexOf('/');
      const run = parseRunId(place.slice(cut + 1));
      if (run !== undefined && !isKnown(run)) this.forget(place.slice(0, cut), run);
    }
  }

  /** Removes the restart history of a child that does not exist any more. */
  forget(supervisor: string, child: string): void {
    const history = this.#tree.histories[supervisor];
    const place = `${supervisor}/${child}`;
    if (history?.children[child] === undefined && this.#tree.counts[place] === undefined) return;
    const { [place]: _, ...counts } = this.#tree.counts;
    this.#tree = { ...this.#tree, counts };
    if (history === undefined) return;
    const { [child]: __, ...children } = history.children;
    const histories = { ...this.#tree.histories, [supervisor]: { ...history, children } };
    this.#tree = { ...this.#tree, histories };
  }

  /** Resolves when all facts so far are durable. Rejects if a fact could not be written. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  #keep(onFull: OnFull): Promise<void> {
    this.#sinceKept = 0;
    return this.#write({ type: 'tree.kept', payload: { tree: this.#tree } }, onFull);
  }

  #write(event: NewTreeEvent, onFull: OnFull): Promise<void> {
    const append = (): Promise<void> => this.#append(event);
    const before = this.#writing.catch(() => undefined); // told to whoever asked
    const mine = before.then(() =>
      onFull === 'wait' ? retryWhileDiskFull(this.#clock, undefined, append) : append(),
    );
    // What was refused is told to whoever asked, and keeps nobody else from going on.
    this.#writing = onFull === 'refuse' ? mine.catch(() => undefined) : mine;
    this.#writing.catch(() => undefined); // heard by `flushed`
    return mine;
  }

  async #append(event: NewTreeEvent): Promise<void> {
    const last = await this.#journal.lastSeq(TREE_STREAM);
    await this.#journal.append(TREE_STREAM, last, [event], this.#clock.now());
  }
}

export function foldTree(tree: TreeSnapshot, { type, payload }: TreeEvent): TreeSnapshot {
  return type === 'tree.kept' ? payload.tree : withRestart(tree, payload);
}

function withRestart(
  tree: TreeSnapshot,
  { supervisor, child, at, restarts, streak }: Payload<'tree.restarting'>,
): TreeSnapshot {
  const place = `${supervisor}/${child}`;
  const { restarts: before, children } = tree.histories[supervisor] ?? NO_HISTORY;
  const history = {
    restarts: [...before, at].slice(-RESTARTS_MAX),
    children: { ...children, [child]: { restarts, streak } },
  };
  return {
    places: tree.places,
    histories: { ...tree.histories, [supervisor]: history } as TreeSnapshot['histories'],
    counts: { ...tree.counts, [place]: (tree.counts[place] ?? 0) + 1 },
  };
}
