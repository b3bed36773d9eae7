import type { StoredEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import { newerEvent } from '../refusals.ts';

export const EVENT_COLUMNS = 'id, stream, seq, type, v, at, payload';

export type EventRow = Omit<StoredEvent, 'payload'> & { readonly payload: string };

/** The event of a row. We trust what we wrote; what a newer program wrote is refused. */
export function eventOf({ id, stream, seq, type, v, at, payload }: EventRow): StoredEvent {
  if (v > EVENT_VERSION) throw newerEvent(id, v);
  return { id, stream, seq, type, v, at, payload: JSON.parse(payload) as unknown } as StoredEvent;
}
