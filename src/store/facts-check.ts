/** Looks for damage in the facts of a whole journal, whichever database has them. */
import { isRefusal } from '../base/errors.ts';
import { runOfStream } from '../protocol/streams.ts';
import type { EventRow } from './event-row.ts';
import { DamagedFact, readEvent } from './event-row.ts';

export type FactsHealth = {
  readonly facts: number;
  /** Problems that make the whole journal unusable. */
  readonly problems: readonly string[];
  /** The first few runs with a damaged fact, and which fact. */
  readonly runs: readonly { readonly run: string; readonly what: string }[];
};

export type JournalHealth =
  | { readonly kind: 'absent' }
  /** The journal has another version than this program writes, so it is not read. */
  | { readonly kind: 'other-version'; readonly version: number }
  | ({ readonly kind: 'checked' } & FactsHealth);

const NAMED_MAX = 20;

/** Takes the rows in the order of their streams and numbers. */
export class FactsCheck {
  readonly #found = new Map<string, string>();
  readonly #problems: string[] = [];
  #facts = 0;
  #last = { stream: '', seq: 0 };

  add(row: EventRow): void {
    this.#facts += 1;
    const { stream, seq } = row;
    const after = stream === this.#last.stream ? this.#last.seq : 0;
    this.#last = { stream, seq };
    const what = findDamage(row, after);
    if (what === undefined) return;
    const run = runOfStream(stream);
    if (run !== undefined) this.#found.set(run, this.#found.get(run) ?? what);
    else if (this.#problems.length < NAMED_MAX)
      this.#problems.push(`${what} of ${JSON.stringify(stream)}`);
  }

  result(): FactsHealth {
    const runs = [...this.#found].slice(0, NAMED_MAX).map(([run, what]) => ({ run, what }));
    return { facts: this.#facts, problems: this.#problems, runs };
  }
}

function findDamage(row: EventRow, after: number): string | undefined {
  if (row.seq !== after + 1) return `fact ${after + 1} is missing`;
  try {
    readEvent(row);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedFact) return `fact ${row.seq} is damaged`;
    if (isRefusal(error)) return `fact ${row.seq} has an unknown version`;
    throw error;
  }
}
