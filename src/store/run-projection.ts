import type { StoredEvent } from '../protocol/event.ts';
import { isRunEvent } from '../protocol/streams.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { foldRunView } from '../protocol/views/run-view.ts';

/** What a journal stores about one run. */
export type StoredRun = {
  /** The id of the event that submitted it. It determines the order of runs. */
  readonly submission: number;
  readonly view: RunView;
};

/** The run after one more event of its stream. Undefined: the stream does not belong to a run. */
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
