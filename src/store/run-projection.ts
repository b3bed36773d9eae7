import type { StoredEvent } from '../protocol/event.ts';
import { isRunEvent } from '../protocol/event.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { foldRunView } from '../protocol/views/run-view.ts';

/** What a journal keeps of one run. */
export type StoredRun = {
  /** The id of the event that submitted it: its place among the runs. */
  readonly submission: number;
  readonly view: RunView;
};

/** The run after one more event of its stream. Undefined: the stream is not that of a run. */
export function projectRun(
  before: StoredRun | undefined,
  event: StoredEvent,
): StoredRun | undefined {
  if (!isRunEvent(event)) return undefined;
  const view = foldRunView(before?.view, event);
  if (view === undefined) return undefined;
  const submission = event.type === 'run.submitted' ? event.id : before?.submission;
  return { submission: submission ?? event.id, view };
}
