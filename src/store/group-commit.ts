/**
 * Writes of the same event loop turn share one commit, so that fifty concurrent runs pay for one disk sync. The jobs
 * settle in the order in which they were added.
 */
export type SettledCommit<Result> =
  | { readonly kind: 'written'; readonly result: Result }
  | { readonly kind: 'refused'; readonly error: unknown };

type Pending<Job, Result> = {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

export class GroupCommit<Job, Result> {
  readonly #commit: (jobs: readonly Job[]) => readonly SettledCommit<Result>[];
  #pending: Pending<Job, Result>[] = [];

  /** `commit` returns the result of each job, in the same order. If it throws, no job was written. */
  constructor(commit: (jobs: readonly Job[]) => readonly SettledCommit<Result>[]) {
    this.#commit = commit;
  }

  add(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ job, resolve, reject });
      if (this.#pending.length === 1) queueMicrotask(() => this.flush());
    });
  }

  /** Commits the pending jobs now. */
  flush(): void {
    const group = this.#pending;
    this.#pending = [];
    if (group.length === 0) return;
    let settled: readonly SettledCommit<Result>[];
    try {
      settled = this.#commit(group.map(({ job }) => job));
    } catch (error) {
      for (const { reject } of group) reject(error); // each caller handles the failure of its own job
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const one = settled[index];
      if (one === undefined) reject(new Error('the commit returned no result for a job'));
      else if (one.kind === 'written') resolve(one.result);
      else reject(one.error);
    }
  }
}
