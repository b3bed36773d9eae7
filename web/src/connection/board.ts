/**
 * Follows the owner with one stream and keeps what the page knows. If the owner is lost, the page says so and connects
 * again, from the last event that it has seen. A hidden tab follows nothing, unless it is the one tab that keeps the
 * number in the titles of all of them. That one draws nothing and asks for nothing else, until it is visible.
 */
import type { BoardItem } from '../../../src/protocol/views/board.ts';
import { Refused, open } from './api.ts';
import type { BoardState } from '../../../src/protocol/views/board-state.ts';
import {
  EMPTY,
  foldBoard,
  withOpenRun,
  withoutTail,
} from '../../../src/protocol/views/board-state.ts';
import { readFrames } from './sse-frames.ts';
import { shareCount } from './share-count.ts';

/** `closed`: this browser has no access. */
export type Link =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'lost'; readonly why: string }
  | { readonly kind: 'closed'; readonly why: string; readonly hint: string | undefined };

export type Snapshot = BoardState & { readonly link: Link };

const RETRY_MS = [500, 1000, 2000, 4000, 8000] as const;

export class Board {
  #snapshot: Snapshot = { ...EMPTY, link: { kind: 'connecting' } };
  readonly #listeners = new Set<() => void>();
  #onCount: () => void = () => undefined;
  #connection: AbortController | undefined;
  #isNeeded = true;
  #run: string | null = null;
  #trees = 0;
  #followsTree = false;

  start(): void {
    this.#connect();
    shareCount({
      onNeeded: (isNeeded) => {
        this.#isNeeded = isNeeded;
        if (isNeeded) this.#connect();
        else this.#connection?.abort();
        this.#notify();
      },
      count: () => this.#snapshot.questions.length,
      onChange: (listener) => (this.#onCount = listener),
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): Snapshot => this.#snapshot;

  /** Also follows the facts and the output of this run. Null: of none. */
  openRun(id: string | null): void {
    this.#run = id;
    // A screen that replaces another one of the same run closes it and opens it in one go.
    queueMicrotask(() => {
      if ((this.#snapshot.open?.id ?? null) === this.#run) return;
      this.#change({ ...this.#snapshot, ...withOpenRun(this.#snapshot, this.#run) });
      if (this.#isNeeded) this.#connect();
    });
  }

  /** Also follows the tree, until the answer is called. */
  openTree(): () => void {
    const change = (by: number): void => {
      this.#trees += by;
      queueMicrotask(() => {
        if (this.#trees > 0 !== this.#followsTree && this.#isNeeded) this.#connect();
      });
    };
    change(1);
    return () => change(-1);
  }

  #connect(): void {
    this.#connection?.abort();
    const connection = new AbortController();
    this.#connection = connection;
    void this.#follow(connection.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for (let tries = 0; !signal.aborted; tries += 1) {
      const why = await this.#followOnce(signal, () => (tries = 0)).catch(
        (error: unknown) => error,
      );
      if (isOver(signal)) return;
      if (why instanceof Refused && (why.status === 401 || why.status === 403))
        return this.#setLink({ kind: 'closed', why: why.message, hint: why.hint });
      this.#setLink({
        kind: 'lost',
        why: why instanceof Error ? why.message : 'The owner has ended.',
      });
      await pause(RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? 0, signal);
    }
  }

  async #followOnce(signal: AbortSignal, onLive: () => void): Promise<void> {
    const { upTo, open: openRun } = this.#snapshot;
    const seen = openRun?.events.at(-1)?.seq ?? 0;
    const run = openRun === null || isHidden() ? '' : `&run=${openRun.id}&seq=${seen}`;
    this.#followsTree = this.#trees > 0 && !isHidden();
    const tree = this.#followsTree ? '&tree=true' : '';
    const body = await open(`/v1/board/follow?after=${upTo}${run}${tree}`, signal);
    this.#change({ ...this.#snapshot, ...withoutTail(this.#snapshot) });
    for await (const { event, data } of readFrames(body)) {
      if (signal.aborted) return;
      if (event !== 'message') throw new Error(event === 'closing' ? 'The owner has ended.' : data);
      onLive();
      const item = JSON.parse(data) as BoardItem;
      this.#snapshot = {
        ...this.#snapshot,
        ...foldBoard(this.#snapshot, item, Date.now()),
        link: { kind: 'live' },
      };
      // A long list arrives in parts. The first is drawn at once, and the others with the last: each costs a drawing.
      const isMiddle = item.kind === 'board' && item.upTo === 0 && !item.isWhole;
      if (!isMiddle) this.#notify();
    }
  }

  #setLink(link: Link): void {
    this.#change({ ...this.#snapshot, link });
  }

  #change(next: Snapshot): void {
    this.#snapshot = next;
    this.#notify();
  }

  /** A hidden tab draws nothing: a screen that sees a new fact asks the owner for more. */
  #notify(): void {
    this.#onCount();
    if (isHidden()) return;
    for (const listener of this.#listeners) listener();
  }
}

/** A lost owner is looked for at once when the person comes back or the network does. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      removeEventListener('online', over);
      removeEventListener('focus', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    addEventListener('online', over);
    addEventListener('focus', over);
    signal.addEventListener('abort', over, { once: true });
  });
}

function isHidden(): boolean {
  return document.visibilityState === 'hidden';
}

/** A function, because the value changes while the page waits, and the compiler would assume that it does not. */
function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}
