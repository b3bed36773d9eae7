/** Plans the appends of one commit: which are written, under which ids, and which are refused. Writes nothing. */
import type { Instant } from '../../base/clock.ts';
import type { Refusal } from '../../base/errors.ts';
import { isRefusal } from '../../base/errors.ts';
import type { NewEvent, StoredEvent } from '../../protocol/event.ts';
import { EVENT_VERSION } from '../../protocol/event.ts';
import type { SettledCommit } from '../group-commit.ts';
import { sequenceConflict } from '../journal-refusals.ts';
import { projectRun } from '../run-projection.ts';
import type { StreamHead } from './stream-heads.ts';

export type Append = {
  readonly stream: string;
  readonly lastSeq: number;
  readonly events: readonly NewEvent[];
  readonly payloads: readonly string[];
  readonly at: Instant;
};

/** The result of a group, computed before anything is written. */
export type GroupPlan = {
  readonly settled: readonly SettledCommit<readonly StoredEvent[]>[];
  readonly lines: readonly StoredEvent[];
  readonly payloads: readonly string[];
  readonly heads: ReadonlyMap<string, { readonly before: StreamHead; readonly after: StreamHead }>;
};

/** `findHead` refuses a damaged stream, which does not concern the other appends of the group. */
export function planGroup(
  group: readonly Append[],
  lastId: number,
  findHead: (stream: string) => StreamHead | Refusal,
): GroupPlan {
  const lines: StoredEvent[] = [];
  const payloads: string[] = [];
  const heads = new Map<string, { readonly before: StreamHead; readonly after: StreamHead }>();
  const settled = group.map((append): SettledCommit<readonly StoredEvent[]> => {
    const { stream, lastSeq, at } = append;
    const before = heads.get(stream)?.before ?? findHead(stream);
    if (isRefusal(before)) return { kind: 'refused', error: before };
    let head = heads.get(stream)?.after ?? before;
    if (head.seq !== lastSeq)
      return { kind: 'refused', error: sequenceConflict(stream, lastSeq, head.seq) };
    const result = append.events.map(({ type, payload }, index) => {
      const id = lastId + lines.length + 1;
      const seq = lastSeq + index + 1;
      const event = { id, stream, seq, type, v: EVENT_VERSION, at, payload } as StoredEvent;
      lines.push(event);
      payloads.push(append.payloads[index] ?? '');
      head = { seq, run: projectRun(head.run, event) };
      return event;
    });
    heads.set(stream, { before, after: head });
    return { kind: 'written', result };
  });
  return { settled, lines, payloads, heads };
}
