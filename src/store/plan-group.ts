/** Plans the appends of one commit: which are written, under which ids, and which are refused. Writes nothing. */
import type { Instant } from '../base/clock.ts';
import type { Refusal } from '../base/errors.ts';
import { isRefusal } from '../base/errors.ts';
import type { NewEvent, StoredEvent } from '../protocol/event.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import type { SettledCommit } from './group-commit.ts';
import { sequenceConflict } from './journal-refusals.ts';
import type { StoredRun } from './run-projection.ts';
import { projectRun } from './run-projection.ts';

/** The end of a stream, and the state of its run there. */
export type StreamHead = { readonly seq: number; readonly run: StoredRun | undefined };

type Append = {
  readonly stream: string;
  readonly lastSeq: number;
  readonly events: readonly NewEvent[];
  readonly payloads: readonly string[];
  readonly at: Instant;
};

/** Appends that are written all or none. */
export type AppendJob = readonly Append[];

export type SettledJob = SettledCommit<readonly (readonly StoredEvent[])[]>;

/** The result of a group, computed before anything is written. */
export type GroupPlan = {
  readonly settled: readonly SettledJob[];
  readonly lines: readonly StoredEvent[];
  readonly payloads: readonly string[];
  readonly heads: ReadonlyMap<string, HeadChange>;
};

type HeadChange = { readonly before: StreamHead; readonly after: StreamHead };

/** `findHead` refuses a damaged stream, which does not concern the other jobs of the group. */
export function planGroup(
  group: readonly AppendJob[],
  lastId: number,
  findHead: (stream: string) => StreamHead | Refusal,
): GroupPlan {
  const lines: StoredEvent[] = [];
  const payloads: string[] = [];
  const heads = new Map<string, HeadChange>();
  const settled = group.map((job): SettledJob => {
    const places = findPlaces(job, (stream) => heads.get(stream) ?? asChange(findHead(stream)));
    if (isRefusal(places)) return { kind: 'refused', error: places };
    const result = places.map(({ append, before, after }) => {
      const { stream, lastSeq, at } = append;
      let head = after;
      const events = append.events.map(({ type, payload }, index) => {
        const id = lastId + lines.length + 1;
        const seq = lastSeq + index + 1;
        const event = { id, stream, seq, type, v: EVENT_VERSION, at, payload } as StoredEvent;
        lines.push(event);
        payloads.push(append.payloads[index] ?? '');
        head = { seq, run: projectRun(head.run, event) };
        return event;
      });
      heads.set(stream, { before, after: head });
      return events;
    });
    return { kind: 'written', result };
  });
  return { settled, lines, payloads, heads };
}

/** Where each append of a job is written, or why none of them can be. */
function findPlaces(
  job: AppendJob,
  find: (stream: string) => HeadChange | Refusal,
): readonly (HeadChange & { readonly append: Append })[] | Refusal {
  const places: (HeadChange & { readonly append: Append })[] = [];
  for (const append of job) {
    const change = find(append.stream);
    if (isRefusal(change)) return change;
    const { seq } = change.after;
    if (seq !== append.lastSeq) return sequenceConflict(append.stream, append.lastSeq, seq);
    places.push({ append, ...change });
  }
  return places;
}

function asChange(head: StreamHead | Refusal): HeadChange | Refusal {
  return isRefusal(head) ? head : { before: head, after: head };
}
