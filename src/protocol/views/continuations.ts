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

/** All runs among these that continue the run, directly or through others. */
export function runsAfter<Run extends ContinuedRun>(
  id: string,
  runs: readonly Run[],
): readonly Run[] {
  const after = new Set([id]);
  return runs
    .toSorted((a, b) => a.submittedAt - b.submittedAt)
    .filter((run) => {
      const isAfter = run.continues !== null && after.has(run.continues) && run.id !== id;
      if (isAfter) after.add(run.id);
      return isAfter;
    });
}

/** A run continues an older one, so a chain ends. The bound holds even for damaged facts. */
function lastOf(run: string, next: ReadonlyMap<string, string>): string {
  let last = run;
  for (let steps = 0; steps <= next.size; steps += 1) last = next.get(last) ?? last;
  return last;
}
