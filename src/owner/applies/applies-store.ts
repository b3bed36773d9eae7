/** Remembers which runs are applied, from the facts of the owner's stream. */
import type { Clock } from '../../base/clock.ts';
import { OWNER_STREAM } from '../../protocol/streams.ts';
import type { AppliedView } from '../../protocol/views/applied-view.ts';
import type { Journal } from '../../store/journal.ts';
import { Projection } from '../../store/projection.ts';
import type { AppliedRun, Applies, ApplyBegun, ApplyRecord, MovedWork } from './fold-applies.ts';
import {
  NO_APPLIES,
  appliedElsewhere,
  appliedView,
  currentApply,
  foldApplies,
  listUnfinished,
} from './fold-applies.ts';

/** Only the owner's stream is read, so a long history costs little even without a snapshot. */
const SNAPSHOT_EVERY = 500;

type AppliesProjection = Projection<Applies, typeof OWNER_STREAM>;
type StoredApplies = {
  readonly begun: readonly (readonly [string, never])[];
  readonly applied: readonly (readonly [string, readonly ApplyRecord[]])[];
  readonly moved: readonly (readonly [string, MovedWork])[];
};

export class AppliesStore {
  readonly #journal: () => Journal;
  readonly #clock: Clock;
  #opened: { readonly journal: Journal; readonly applies: Promise<AppliesProjection> } | undefined;

  /** `journal` returns the current journal, because the owner may replace it. */
  constructor(journal: () => Journal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  /** Every apply and undo that is recorded when it is called. */
  async read(): Promise<Applies> {
    const journal = this.#journal();
    if (this.#opened?.journal !== journal) this.#opened = { journal, applies: this.#open(journal) };
    return (await this.#opened.applies).catchUp();
  }

  async view(run: AppliedRun): Promise<AppliedView | null> {
    return appliedView(await this.read(), run);
  }

  /** A branch with the work, whatever the files have. */
  async elsewhere(run: AppliedRun): Promise<AppliedView | null> {
    return appliedElsewhere(await this.read(), run);
  }

  async current(run: string): Promise<ApplyRecord | undefined> {
    return currentApply(await this.read(), run);
  }

  /** The applies and undos that began and have not ended. */
  async unfinished(): Promise<readonly ApplyBegun[]> {
    return listUnfinished(await this.read());
  }

  #open(journal: Journal): Promise<AppliesProjection> {
    const opening = Projection.open<Applies, typeof OWNER_STREAM>({
      journal,
      clock: this.#clock,
      stream: OWNER_STREAM,
      initial: NO_APPLIES,
      fold: foldApplies,
      snapshots: {
        kind: 'table',
        every: SNAPSHOT_EVERY,
        maker: 'applies@3',
        write: ({ begun, applied, moved }) => ({
          begun: [...begun],
          applied: [...applied],
          moved: [...moved],
        }),
        read: (stored) => {
          const { begun, applied, moved } = stored as StoredApplies; // only this maker writes it
          return { begun: new Map(begun), applied: new Map(applied), moved: new Map(moved) };
        },
      },
    });
    opening.catch(() => (this.#opened = undefined)); // the next read tries again
    return opening;
  }
}
