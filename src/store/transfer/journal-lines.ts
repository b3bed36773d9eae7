/**
 * A journal as lines of text: a head, one line for each fact in the order of the journal, and a last line that counts
 * them. So a file that was cut off is noticed. Each fact has the checksum that it has in the journal.
 */
import { Refusal } from '../../base/errors.ts';
import { isRecord } from '../../base/json.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { checksumOfEvent } from '../checksum.ts';
import { DamagedFact, readEvent } from '../event-row.ts';

const SCHEMA = 'supervisor.journal/1';

export function headLine(): string {
  return `${JSON.stringify({ schema: SCHEMA })}\n`;
}

export function factLine(event: StoredEvent): string {
  const { payload, ...cells } = event;
  const checksum = checksumOfEvent({ ...event, payload: JSON.stringify(payload) });
  return `${JSON.stringify({ ...cells, payload, checksum })}\n`;
}

export function lastLine(facts: number): string {
  return `${JSON.stringify({ facts })}\n`;
}

/** Reads the lines of one file, in their order. */
export class ExportReader {
  #lines = 0;
  #facts = 0;
  #id = 0;
  #isComplete = false;

  /** The fact of a line. Undefined for the head and the last line. Refuses a line that is not as it was written. */
  read(line: string): StoredEvent | undefined {
    this.#lines += 1;
    if (this.#isComplete) throw this.#wrong('stands after the last line of the file');
    const content = parsed(line);
    if (!isRecord(content)) throw this.#wrong('is no object of JSON');
    if (this.#lines === 1) return this.#readHead(content);
    if (typeof content['stream'] !== 'string') return this.#readLast(content);
    const event = this.#readFact(content);
    if (event.id <= this.#id) throw this.#wrong(`has fact ${event.id} after fact ${this.#id}`);
    this.#id = event.id;
    this.#facts += 1;
    return event;
  }

  /** Refuses a file that was cut off. */
  end(): void {
    if (this.#isComplete) return;
    throw invalid(`The file ends after line ${this.#lines}, and its last line is missing.`);
  }

  get facts(): number {
    return this.#facts;
  }

  #readHead({ schema }: Readonly<Record<string, unknown>>): undefined {
    if (schema === SCHEMA) return;
    throw this.#wrong(
      typeof schema === 'string'
        ? `says ${JSON.stringify(schema)}, and this release reads ${SCHEMA}`
        : 'is not the head of a journal',
    );
  }

  #readLast({ facts }: Readonly<Record<string, unknown>>): undefined {
    if (facts !== this.#facts)
      throw this.#wrong(`counts ${String(facts)} facts, and there are ${this.#facts}`);
    this.#isComplete = true;
  }

  #readFact(content: Readonly<Record<string, unknown>>): StoredEvent {
    const payload = JSON.stringify(content['payload']);
    try {
      return readEvent({ ...content, payload } as Parameters<typeof readEvent>[0]);
    } catch (error) {
      if (!(error instanceof DamagedFact)) throw error;
      throw this.#wrong('is not as it was written: its checksum differs');
    }
  }

  #wrong(what: string): Refusal {
    return invalid(`Line ${this.#lines} ${what}.`);
  }
}

/** Without the bound of `parseJson` on nesting: what the journal has taken has to come back. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the line is refused, with its number
  }
}

function invalid(message: string): Refusal {
  return new Refusal({
    code: 'store.damaged',
    message: `${message} Nothing was imported.`,
    hint: 'Write the file again, with: supervisor journal export FILE',
  });
}
