/**
 * What is left of each identity's windows, folded from the notes of all runs, and what one attempt typically uses of a
 * window. So work that a window cannot hold any more can start elsewhere before the limit is hit.
 */
import { agentIdentity } from '../attempts/choice/identity.ts';
import type { ClosingWindow } from '../protocol/commands.ts';
import type { StoredEvent } from '../protocol/event.ts';

type Window = {
  readonly usedPercent: number;
  readonly resetAt: number | null;
  /** What one attempt uses of it, smoothed over the last ones. Null: no attempt was seen whole. */
  readonly perAttempt: number | null;
};

/** By identity, and by the name of the window. */
export type QuotaCounts = Readonly<Record<string, Readonly<Record<string, Window>>>>;

/** The last attempt counts as much as this, all earlier ones as the rest. */
const NEWEST = 0.3;
const REMEMBERED_MAX = 1000;

type OpenAttempt = { readonly identity: string; readonly first: ReadonlyMap<string, Window> };

export class QuotaStock {
  readonly #known: Map<string, Map<string, Window>>;
  /** By stream and key: attempts that are open. */
  readonly #open = new Map<string, OpenAttempt>();

  constructor(counts: QuotaCounts = {}) {
    this.#known = new Map(
      Object.entries(counts).map(([identity, windows]) => [
        identity,
        new Map(Object.entries(windows)),
      ]),
    );
  }

  count(event: StoredEvent): void {
    if (event.type === 'command.begun' && event.payload.command === 'attempt') {
      const identity = agentIdentity(event.payload.input.agent);
      const first = new Map(this.#known.get(identity));
      remember(this.#open, placeOf(event.stream, event.payload.key), { identity, first });
    } else if (event.type === 'command.noted') {
      const { key, note } = event.payload;
      const open = this.#open.get(placeOf(event.stream, key));
      if (open === undefined || note.kind !== 'quota') return;
      const windows = new Map(this.#known.get(open.identity));
      for (const { name, usedPercent, resetAt } of note.windows) {
        const perAttempt = windows.get(name)?.perAttempt ?? null;
        windows.set(name, { usedPercent, resetAt, perAttempt });
      }
      remember(this.#known, open.identity, windows);
    } else if (event.type === 'command.ended' && event.payload.command === 'attempt')
      this.#learn(placeOf(event.stream, event.payload.key));
  }

  /** Windows that one more attempt would close. One that was reset since is open again. */
  closing(identity: string, now: number): readonly Omit<ClosingWindow, 'identity'>[] {
    return [...(this.#known.get(identity) ?? [])].flatMap(([window, known]) => {
      const { usedPercent, resetAt, perAttempt } = known;
      const isOpen = resetAt !== null && resetAt > now;
      return isOpen && usedPercent + (perAttempt ?? 0) >= 100
        ? [{ window, usedPercent, perAttempt, resetAt }]
        : [];
    });
  }

  counts(): QuotaCounts {
    return Object.fromEntries(
      [...this.#known].map(([identity, windows]) => [identity, Object.fromEntries(windows)]),
    );
  }

  #learn(place: string): void {
    const open = this.#open.get(place);
    this.#open.delete(place);
    const known = open && this.#known.get(open.identity);
    if (open === undefined || known === undefined) return;
    for (const [name, now] of known) {
      const before = open.first.get(name);
      // A window that was reset in between says nothing about the attempt.
      if (before === undefined || before.resetAt !== now.resetAt) continue;
      const used = now.usedPercent - before.usedPercent;
      if (used <= 0) continue;
      const { perAttempt } = now;
      const learned = perAttempt === null ? used : perAttempt + NEWEST * (used - perAttempt);
      known.set(name, { ...now, perAttempt: learned });
    }
  }
}

function placeOf(stream: string, key: string): string {
  return `${stream} ${key}`;
}

function remember<Value>(values: Map<string, Value>, key: string, value: Value): void {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > REMEMBERED_MAX && oldest !== undefined) values.delete(oldest);
}
