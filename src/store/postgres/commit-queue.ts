/**
 * Appends that wait while another commit is on its way share the next one. The jobs settle in the order in which they
 * were added. `GroupCommit` is the same for a commit that returns at once.
 */
import type { SettledCommit } from '../group-commit.ts';

type Pending<Job, Result> = {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

export class CommitQueue<Job, Result> {
  readonly #commit: (jobs: readonly Job[]) => Promise<readonly SettledCommit<Result>[]>;
  #pending: Pending<Job, Result>[] = [];
  #working: Promise<void> | undefined;

  /** `commit` returns the result of each job, in the same order. If it rejects, no job was written. */
  constructor(commit: (jobs: readonly Job[]) => Promise<readonly SettledCommit<Result>[]>) {
    this.#commit = commit;
  }

  add(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ job, resolve, reject });
      this.#working ??= Promise.resolve().then(() => this.#work());
    });
  }

  /** Resolves when every job so far has settled. */
  async idle(): Promise<void> {
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#pending;
      this.#pending = [];
      try {
        settle(group, await this.#commit(group.map(({ job }) => job)));
      } catch (error) {
        for (const { reject } of group) reject(error); // each caller handles the failure of its own job
      }
    }
    this.#working = undefined;
  }
}

function settle<Job, Result>(
  group: readonly Pending<Job, Result>[],
  settled: readonly SettledCommit<Result>[],
): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const one = settled[index];
    if (one === undefined) reject(new Error('the commit returned no result for a job'));
    else if (one.kind === 'written') resolve(one.result);
    else reject(one.error);
  }
}
