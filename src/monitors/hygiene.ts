/**
 * Finds leftovers in the home, and decides which may be deleted. Leftovers are always reported, and deleted
 * only by opt-in, from a configured age on. Work is never among them.
 */
import { plural } from '../base/text.ts';

/** Something in the home that belongs to a run by its name. */
export type HygieneFinding = {
  readonly run: string;
  readonly bytes: number;
  /** The time since the last write. */
  readonly ageMs: number;
};

export type HygienePolicy = {
  /** The age from which orphans are deleted. Null: never. */
  readonly deleteAfterMs: number | null;
};

export type HygieneReport = {
  /** Leftovers of runs that the journal does not know. */
  readonly orphans: number;
  readonly orphanBytes: number;
  /** Leftovers of runs that have ended; they are kept for inspection. */
  readonly endedRuns: number;
  readonly endedBytes: number;
};

export type HygienePlan = {
  readonly report: HygieneReport;
  /** The runs whose leftovers are deleted: orphans that are old enough, by opt-in. */
  readonly runsToDelete: readonly string[];
};

/** The same findings give the same plan. After it was performed, there is nothing left to do. */
export function planHygiene(
  found: readonly HygieneFinding[],
  runState: (run: string) => 'running' | 'ended' | 'unknown',
  { deleteAfterMs }: HygienePolicy,
): HygienePlan {
  const orphans = found.filter(({ run }) => runState(run) === 'unknown');
  const endedRuns = found.filter(({ run }) => runState(run) === 'ended');
  return {
    report: {
      orphans: orphans.length,
      orphanBytes: totalBytes(orphans),
      endedRuns: endedRuns.length,
      endedBytes: totalBytes(endedRuns),
    },
    runsToDelete: orphans
      .filter(({ ageMs }) => deleteAfterMs !== null && ageMs >= deleteAfterMs)
      .map(({ run }) => run),
  };
}

/** The report as text, with the number of runs deleted in this round. */
export function describeHygiene(
  { orphans, orphanBytes, endedRuns, endedBytes }: HygieneReport,
  deleted: number,
): string {
  const parts = [
    `keeps ${plural(endedRuns, 'ended run')} (${megabytes(endedBytes)})`,
    ...(orphans === 0 ? [] : [`${plural(orphans, 'orphan')} (${megabytes(orphanBytes)})`]),
    ...(deleted === 0 ? [] : [`${deleted} deleted`]),
  ];
  return parts.join(', ');
}

function totalBytes(found: readonly HygieneFinding[]): number {
  return found.reduce((bytes, one) => bytes + one.bytes, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
