/**
 * What dead things lie about in the home, and which of them may be cleared away. It is always told
 * and never deleted, unless somebody has said from which age on; and work is never part of it.
 */

/** Something in the home that belongs to a run by its name. */
export type HygieneFinding = {
  readonly run: string;
  readonly bytes: number;
  /** How long nobody has written to it. */
  readonly ageMs: number;
};

export type HygienePolicy = {
  /** From which age on what belongs to nobody is deleted. Null: never. */
  readonly deleteAfterMs: number | null;
};

export type HygieneReport = {
  /** Belongs to a run that the journal does not know. */
  readonly orphans: number;
  readonly orphanBytes: number;
  /** Belongs to a run that has ended; it is kept for whoever wants to know why. */
  readonly bodies: number;
  readonly bodyBytes: number;
};

export type HygienePlan = {
  readonly report: HygieneReport;
  /** The runs whose leftovers are to be deleted: orphans that are old enough, by opt-in. */
  readonly clear: readonly string[];
};

/** The same finds give the same plan; once it was carried out, there is nothing left to do. */
export function planHygiene(
  found: readonly HygieneFinding[],
  stateOf: (run: string) => 'going-on' | 'ended' | 'unknown',
  { deleteAfterMs }: HygienePolicy,
): HygienePlan {
  const orphans = found.filter(({ run }) => stateOf(run) === 'unknown');
  const bodies = found.filter(({ run }) => stateOf(run) === 'ended');
  return {
    report: {
      orphans: orphans.length,
      orphanBytes: sum(orphans),
      bodies: bodies.length,
      bodyBytes: sum(bodies),
    },
    clear: orphans
      .filter(({ ageMs }) => deleteAfterMs !== null && ageMs >= deleteAfterMs)
      .map(({ run }) => run),
  };
}

/** A report as a person reads it, with what was cleared away in this round. */
export function describeHygiene(
  { orphans, orphanBytes, bodies, bodyBytes }: HygieneReport,
  cleared: number,
): string {
  const parts = [
    `keeps ${bodies} ended runs (${megabytes(bodyBytes)})`,
    ...(orphans === 0 ? [] : [`${orphans} belong to nobody (${megabytes(orphanBytes)})`]),
    ...(cleared === 0 ? [] : [`${cleared} cleared away`]),
  ];
  return parts.join(', ');
}

function sum(found: readonly HygieneFinding[]): number {
  return found.reduce((bytes, one) => bytes + one.bytes, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
