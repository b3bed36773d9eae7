/**
 * Writes that are asked for in the same turn share one commit, so that fifty runs moving at once
 * pay for one sync of the disk. The jobs settle in the order in which they were added.
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

  /** `commit` says how each job went, in the same order. If it throws, no job was written. */
  constructor(commit: (jobs: readonly Job[]) => readonly SettledCommit<Result>[]) {
    this.#commit = commit;
  }

  add(job: Job): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ job, resolve, reject });
      if (this.#pending.length === 1) queueMicrotask(() => this.flush());
    });
  }

  /** Commits now what is pending. */
  flush(): void {
    const group = this.#pending;
    this.#pending = [];
    if (group.length === 0) return;
    let settled: readonly SettledCommit<Result>[];
    try {
      settled = this.#commit(group.map(({ job }) => job));
    } catch (error) {
      for (const { reject } of group) reject(error); // each caller owns its share of the damage
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const one = settled[index];
      if (one === undefined) reject(new Error('a job was left unsettled'));
      else if (one.kind === 'written') resolve(one.result);
      else reject(one.error);
    }
  }
}
