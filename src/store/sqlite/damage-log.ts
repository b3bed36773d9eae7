/** Remembers in which streams damage was found, for whoever asks how the journal is. */
import type { Refusal } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { StreamDamage } from '../journal.ts';
import { sqliteRefusal } from './sqlite-errors.ts';
import type { EventRow } from './event-row.ts';
import { DamagedFact, eventOf } from './event-row.ts';

export class DamageLog {
  readonly #path: string;
  readonly #found = new Map<string, Refusal>();

  constructor(path: string) {
    this.#path = path;
  }

  all(): readonly StreamDamage[] {
    return [...this.#found].map(([stream, refusal]) => ({ stream, refusal }));
  }

  /** What an error of a reading or a writing means to the caller: a number of SQLite's becomes a meaning. */
  reasonOf(error: unknown): unknown {
    const reason = sqliteRefusal(error, this.#path);
    if (error instanceof DamagedFact && isRefusal(reason)) this.#found.set(error.stream, reason);
    return reason;
  }

  /** As many sound facts as there are up to the limit, from `place` on; `read` gives the rows after one. */
  sound(
    place: number,
    limit: number,
    read: (place: number, limit: number) => readonly unknown[],
  ): readonly StoredEvent[] {
    const sound: StoredEvent[] = [];
    for (let from = place; sound.length < limit;) {
      const wanted = limit - sound.length;
      const rows = read(from, wanted) as readonly EventRow[];
      for (const row of rows)
        try {
          sound.push(eventOf(row));
        } catch (error) {
          if (!(error instanceof DamagedFact)) throw error;
          this.reasonOf(error);
        }
      from = rows.at(-1)?.id ?? from;
      if (rows.length < wanted) break;
    }
    return sound;
  }
}
