/** The memory of applies in a test that records facts in a list. */
import type { Applies } from '../../src/owner/applies/fold-applies.ts';
import {
  NO_APPLIES,
  appliedElsewhere,
  appliedView,
  currentApply,
  foldApplies,
  listUnfinished,
} from '../../src/owner/applies/fold-applies.ts';
import type { RunChangesPorts } from '../../src/owner/runs/run-changes.ts';
import type { NewOwnerEvent, OwnerEvent } from '../../src/protocol/event.ts';

/** What became of the work, from the facts that were recorded. */
export function appliesOf(recorded: readonly NewOwnerEvent[]): RunChangesPorts['applies'] {
  const state = (): Applies =>
    recorded.reduce(
      (applies, event) => foldApplies(applies, { at: 1, ...event } as unknown as OwnerEvent),
      NO_APPLIES,
    );
  return {
    view: (id) => Promise.resolve(appliedView(state(), id)),
    elsewhere: (id) => Promise.resolve(appliedElsewhere(state(), id)),
    current: (id) => Promise.resolve(currentApply(state(), id)),
    unfinished: () => Promise.resolve(listUnfinished(state())),
  };
}
