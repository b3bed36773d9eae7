/** Whether messages of steering pay, by the newest ended runs of this home. */
import type { RunId } from '../../base/ids.ts';
import { casesOf, foldSteering, NO_STEERING } from '../../reports/steering-cases.ts';
import type { SteeringCase, SteeringRow } from '../../reports/steering-report.ts';
import { steeringReport } from '../../reports/steering-report.ts';
import type { Journal } from '../../store/journal.ts';
import { readHistoryOfRun } from '../run-reader.ts';

/** Older runs used other models and other versions of the CLIs. */
const RUNS_MAX = 1000;

export class SteeringNumbers {
  /** Returns the current journal, because the owner may replace it. */
  readonly #journal: () => Journal;
  /** A run that has ended does not change. */
  #known: ReadonlyMap<string, readonly SteeringCase[]> = new Map();

  constructor(journal: () => Journal) {
    this.#journal = journal;
  }

  async read(): Promise<readonly SteeringRow[]> {
    const journal = this.#journal();
    const runs = await journal.runs({ ended: true, limit: RUNS_MAX });
    const known = new Map<string, readonly SteeringCase[]>();
    for (const { id, outcome } of runs) {
      let cases = this.#known.get(id);
      if (cases === undefined) {
        let folded = NO_STEERING;
        for await (const event of readHistoryOfRun(journal, id as RunId))
          folded = foldSteering(folded, event);
        cases = casesOf(id, folded, outcome);
      }
      known.set(id, cases);
    }
    this.#known = known;
    return steeringReport([...known.values()].flat());
  }
}
