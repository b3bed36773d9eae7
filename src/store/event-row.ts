import type { StoredEvent } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import { unknownEventVersion } from './journal-refusals.ts';
import type { EventCells } from './checksum.ts';
import { checksumOfEvent } from './checksum.ts';

export const EVENT_COLUMNS =
  'events.id, events.stream, events.seq, events.type, events.v, events.at, events.payload, events.checksum';

export type EventRow = EventCells & { readonly checksum: number };

/** A fact that is missing, or not as it was written. The journal turns it into a refusal that names the file. */
export class DamagedFact extends Error {
  override readonly name = 'DamagedFact';
  readonly stream: string;
  readonly seq: number;

  constructor(stream: string, seq: number, why: string) {
    super(why);
    this.stream = stream;
    this.seq = seq;
  }
}

/** The event of a row, after its checksum was verified. An event of another version is refused. */
export function readEvent(row: EventRow): StoredEvent {
  const { id, stream, seq, type, v, at, payload } = row;
  if (row.checksum !== checksumOfEvent(row))
    throw new DamagedFact(stream, seq, 'its checksum differs');
  if (v !== EVENT_VERSION) throw unknownEventVersion(id, v);
  return { id, stream, seq, type, v, at, payload: JSON.parse(payload) as unknown } as StoredEvent;
}

/** The events of consecutive rows after `after` in one stream. A gap is reported as damage. */
export function eventsOfStream(
  rows: readonly unknown[],
  stream: string,
  after: number,
): readonly StoredEvent[] {
  return rows.map((row, index) => {
    const event = inStream(stream, after + index + 1, () => readEvent(row as EventRow));
    if (event.stream !== stream || event.seq !== after + index + 1)
      throw new DamagedFact(stream, after + index + 1, 'it is missing');
    return event;
  });
}

/** Names the fact that was requested, because the damage may be in the position that the row itself states. */
function inStream(stream: string, seq: number, read: () => StoredEvent): StoredEvent {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedFact) throw new DamagedFact(stream, seq, error.message);
    throw error;
  }
}

/** The key that the caller of a command chose, in the fact that was written for it. */
export function findRequestKey({ payload }: StoredEvent): string | null {
  return 'request' in payload ? payload.request.key : null;
}
