/** How often healthy work repeats itself, by the newest runs of this home that succeeded. */
import type { RunId } from '../../base/ids.ts';
import type { RunEvent } from '../../protocol/event.ts';
import type { HealthyFold, HealthyPeak } from '../../steering/learned-thresholds.ts';
import { foldPeaks, healthyPeaks, NO_PEAKS } from '../../steering/learned-thresholds.ts';
import type { Journal } from '../../store/journal.ts';
import { readHistoryOfRun } from '../run-reader.ts';

/** Older runs used other models and other versions of the CLIs. */
const RUNS_MAX = 1000;
/** Each is read once, while an agent waits. */
const SUCCEEDED_MAX = 200;

export class HealthyRuns {
  readonly #journal: Journal;
  /** A run that has ended does not change. */
  #known: ReadonlyMap<string, readonly HealthyPeak[]> = new Map();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async read(): Promise<readonly HealthyPeak[]> {
    const runs = await this.#journal.runs({ ended: true, limit: RUNS_MAX });
    const succeeded = runs.filter(({ outcome }) => outcome?.kind === 'succeeded');
    const known = new Map<string, readonly HealthyPeak[]>();
    for (const { id } of succeeded.slice(0, SUCCEEDED_MAX)) {
      let peaks = this.#known.get(id);
      if (peaks === undefined) {
        let folded = NO_PEAKS;
        for await (const event of readHistoryOfRun(this.#journal, id as RunId))
          folded = withTurn(folded, event);
        peaks = healthyPeaks(folded);
      }
      known.set(id, peaks);
    }
    this.#known = known;
    return [...known.values()].flat();
  }
}

function withTurn(folded: HealthyFold, event: RunEvent): HealthyFold {
  if (event.type !== 'command.noted' || event.payload.command !== 'attempt') return folded;
  const { key, note } = event.payload;
  return note.kind === 'turn' ? foldPeaks(folded, key, note.turn) : folded;
}
