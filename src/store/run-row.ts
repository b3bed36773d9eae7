/** The row of a run: what a database stores about it, joined with its first fact. */
import type { Payload, StoredEvent } from '../protocol/event.ts';
import type { Submission } from '../protocol/run-submission.ts';
import { runStream } from '../protocol/streams.ts';
import { storedView, wholeView } from '../protocol/views/stored-view.ts';
import type { RunCells } from './checksum.ts';
import { checksumOfRun } from './checksum.ts';
import type { EventRow } from './event-row.ts';
import { DamagedFact, readEvent } from './event-row.ts';
import type { StoredRun } from './run-projection.ts';

/** The row of a run joined with its first fact. */
export type RunRow = EventRow & {
  readonly run_id: string;
  readonly project: string;
  readonly submitted_at: number;
  readonly ended_at: number | null;
  readonly view: string;
  readonly run_checksum: number;
};

/** What is stored about a run, with its checksum. */
export function cellsOfRun({
  submission,
  view,
}: StoredRun): RunCells & { readonly checksum: number } {
  const { id, project, submittedAt, endedAt } = view;
  const text = JSON.stringify(storedView(view));
  const cells = { submission, id, project, submittedAt, endedAt, view: text };
  return { ...cells, checksum: checksumOfRun(cells) };
}

/** The run of a row. Undefined if the row is not as it was written. `first` is the payload of its first fact. */
export function readRunRow(row: RunRow, first: unknown): StoredRun | undefined {
  const { id: submission, run_id: id, project, view } = row;
  const cells = { submission, id, project, submittedAt: row.submitted_at, endedAt: row.ended_at };
  if (row.run_checksum !== checksumOfRun({ ...cells, view })) return undefined;
  const stored = JSON.parse(view) as Parameters<typeof wholeView>[0];
  return { submission, view: wholeView(stored, readTask(first)) };
}

/** Names the run of the row, because the damage may be in the stream that the fact itself states. */
export function readFirstFact(row: RunRow): StoredEvent {
  try {
    return readEvent(row);
  } catch (error) {
    if (!(error instanceof DamagedFact)) throw error;
    throw new DamagedFact(runStream(row.run_id), 1, error.message);
  }
}

function readTask(payload: unknown): string {
  const first = payload as Submission | Payload<'run.forked'>;
  return ('submission' in first ? first.submission : first).task;
}
