/**
 * What is left of each identity's windows, folded from the notes of all runs, and what one attempt typically uses of a
 * window. So work that a window cannot hold any more can start elsewhere before the limit is hit.
 */
import { agentIdentity } from '../attempts/choice/identity.ts';
import type { ClosingWindow, Note } from '../protocol/commands.ts';
import type { StoredEvent } from '../protocol/event.ts';

type Window = {
  readonly usedPercent: number;
  readonly resetAt: number | null;
  /** When it was reported. */
  readonly at: number;
  /** What one attempt uses of it, smoothed over the last ones. Null: no attempt was seen whole. */
  readonly perAttempt: number | null;
};

export type OpenWindow = {
  readonly usedPercent: number;
  readonly perAttempt: number | null;
  readonly resetAt: number;
};

type OpenAttempt = {
  readonly identity: string;
  readonly begunAt: number;
  /** Its part of each window so far. Null: the window was reset meanwhile. */
  readonly used: Readonly<Record<string, number | null>>;
};

export type QuotaCounts = {
  /** By identity, and by the name of the window. */
  readonly windows: Readonly<Record<string, Readonly<Record<string, Window>>>>;
  /** By stream and key: attempts that are under way. */
  readonly open: Readonly<Record<string, OpenAttempt>>;
};

/** The last attempt counts as much as this, all earlier ones as the rest. */
const NEWEST = 0.3;
/** Between an older report and the begin of an attempt, something else may have used the window. */
const FRESH_MS = 600_000;
const REMEMBERED_MAX = 1000;

type Report = Extract<Note<'attempt'>, { kind: 'quota' }>['windows'][number];

export class QuotaStock {
  readonly #known: Map<string, Map<string, Window>>;
  readonly #open: Map<string, OpenAttempt>;

  constructor({ windows = {}, open = {} }: Partial<QuotaCounts> = {}) {
    this.#known = new Map(
      Object.entries(windows).map(([identity, own]) => [identity, new Map(Object.entries(own))]),
    );
    this.#open = new Map(Object.entries(open));
  }

  count(event: StoredEvent): void {
    if (event.type === 'command.begun' && event.payload.command === 'attempt') {
      const identity = agentIdentity(event.payload.input.agent);
      const place = placeOf(event.stream, event.payload.key);
      remember(this.#open, place, { identity, begunAt: event.at, used: {} });
    } else if (event.type === 'command.noted') {
      const { key, note } = event.payload;
      const open = this.#open.get(placeOf(event.stream, key));
      if (open === undefined || note.kind !== 'quota') return;
      for (const window of note.windows) this.#report(open.identity, window, event.at);
    } else if (event.type === 'command.ended' && event.payload.command === 'attempt')
      this.#learn(placeOf(event.stream, event.payload.key));
  }

  /**
   * Windows that one more attempt would close, beside those under way and `starting` others that are about to begin. One
   * that was reset since is open again.
   */
  closing(
    identity: string,
    starting: number,
    now: number,
  ): readonly Omit<ClosingWindow, 'identity'>[] {
    const open = [...this.#open.values()].filter((one) => one.identity === identity);
    return [...(this.#known.get(identity) ?? [])].flatMap(([window, known]) => {
      const { usedPercent, resetAt } = known;
      if (resetAt === null || resetAt <= now) return [];
      const perAttempt = known.perAttempt ?? 0;
      const promised = this.#promised(open, window, perAttempt) + starting * perAttempt;
      if (usedPercent + promised + perAttempt < 100) return [];
      const others = open.length + starting;
      const about = { window, usedPercent, perAttempt: known.perAttempt, resetAt };
      return [others === 0 ? about : { ...about, others }];
    });
  }

  /** Its windows that are not reset yet, with what attempts under way will still use of them. */
  open(identity: string, now: number): readonly OpenWindow[] {
    const open = [...this.#open.values()].filter((one) => one.identity === identity);
    return [...(this.#known.get(identity) ?? [])].flatMap(([window, known]) => {
      const { usedPercent, resetAt, perAttempt } = known;
      if (resetAt === null || resetAt <= now) return [];
      const promised = this.#promised(open, window, perAttempt ?? 0);
      return [{ usedPercent: usedPercent + promised, perAttempt, resetAt }];
    });
  }

  #promised(open: readonly OpenAttempt[], window: string, perAttempt: number): number {
    return open.reduce((sum, { used }) => sum + Math.max(0, perAttempt - (used[window] ?? 0)), 0);
  }

  counts(): QuotaCounts {
    return {
      windows: Object.fromEntries(
        [...this.#known].map(([identity, windows]) => [identity, Object.fromEntries(windows)]),
      ),
      open: Object.fromEntries(this.#open),
    };
  }

  /** Attempts that run at the same time share what was used since the last report. */
  #report(identity: string, { name, usedPercent, resetAt }: Report, at: number): void {
    const windows = new Map(this.#known.get(identity));
    const before = windows.get(name);
    const perAttempt = before?.perAttempt ?? null;
    windows.set(name, { usedPercent, resetAt, at, perAttempt });
    remember(this.#known, identity, windows);
    if (before === undefined) return;
    const sharing = [...this.#open].filter(([, one]) => one.identity === identity);
    const isReset = before.resetAt !== resetAt;
    const oldest = Math.min(...sharing.map(([, { begunAt }]) => begunAt));
    if (!isReset && oldest - before.at > FRESH_MS) return;
    const part = Math.max(0, usedPercent - before.usedPercent) / sharing.length;
    for (const [place, { used, ...one }] of sharing) {
      const own = used[name];
      const sum = isReset || own === null ? null : (own ?? 0) + part;
      this.#open.set(place, { ...one, used: { ...used, [name]: sum } });
    }
  }

  #learn(place: string): void {
    const open = this.#open.get(place);
    this.#open.delete(place);
    const known = open && this.#known.get(open.identity);
    if (open === undefined || known === undefined) return;
    for (const [name, used] of Object.entries(open.used)) {
      const window = known.get(name);
      // A window that was reset in between says nothing about the attempt.
      if (window === undefined || used === null || used === 0) continue;
      const { perAttempt } = window;
      const learned = perAttempt === null ? used : perAttempt + NEWEST * (used - perAttempt);
      known.set(name, { ...window, perAttempt: learned });
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
