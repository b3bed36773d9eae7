/** Remembers in which streams damage was found, for the health check of the journal. */
import type { Refusal } from '../base/errors.ts';
import { isRefusal } from '../base/errors.ts';
import type { StoredEvent } from '../protocol/event.ts';
import type { StreamDamage } from './journal.ts';
import type { EventRow } from './event-row.ts';
import { DamagedFact, readEvent } from './event-row.ts';

export class DamageLog {
  readonly #translate: (error: unknown) => unknown;
  readonly #found = new Map<string, Refusal>();

  /** `translate` returns the refusal for an error of the database, or the error itself if it is a defect. */
  constructor(translate: (error: unknown) => unknown) {
    this.#translate = translate;
  }

  all(): readonly StreamDamage[] {
    return [...this.#found].map(([stream, refusal]) => ({ stream, refusal }));
  }

  /** Translates an error of a read or write into a refusal, and records damage. */
  toRefusal(error: unknown): unknown {
    const reason = this.#translate(error);
    if (error instanceof DamagedFact && isRefusal(reason)) this.#found.set(error.stream, reason);
    return reason;
  }

  /** The undamaged facts from `place` on, up to the limit. `read` returns the rows after a position. */
  readUndamaged(
    position: number,
    limit: number,
    read: (position: number, limit: number) => readonly unknown[],
  ): readonly StoredEvent[] {
    const events: StoredEvent[] = [];
    for (let from = position; events.length < limit;) {
      const rowsMissing = limit - events.length;
      const rows = read(from, rowsMissing) as readonly EventRow[];
      events.push(...this.undamaged(rows));
      from = rows.at(-1)?.id ?? from;
      if (rows.length < rowsMissing) break;
    }
    return events;
  }

  /** The facts of these rows without the damaged ones, which are recorded. */
  undamaged(rows: readonly EventRow[]): readonly StoredEvent[] {
    return rows.flatMap((row) => {
      try {
        return [readEvent(row)];
      } catch (error) {
        if (!(error instanceof DamagedFact)) throw error;
        this.toRefusal(error);
        return [];
      }
    });
  }
}
