/** Which runs were continued by another run, and by which. */

export type ContinuedRun = {
  readonly id: string;
  /** The run that it continues. */
  readonly continues: string | null;
  readonly submittedAt: number;
};

/** For each run that others of these continue: the newest one at the end of that chain. */
export function continuations(runs: readonly ContinuedRun[]): ReadonlyMap<string, string> {
  const next = new Map<string, string>();
  for (const { id, continues } of runs.toSorted((a, b) => a.submittedAt - b.submittedAt))
    if (continues !== null) next.set(continues, id);
  return new Map([...next.keys()].map((run) => [run, lastOf(run, next)]));
}

/** A run continues an older one, so a chain ends. The bound holds even for damaged facts. */
function lastOf(run: string, next: ReadonlyMap<string, string>): string {
  let last = run;
  for (let steps = 0; steps <= next.size; steps += 1) last = next.get(last) ?? last;
  return last;
}
