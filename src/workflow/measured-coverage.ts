/** The coverage of some work by tests, as several gates have measured it. */
import type { CoverageFigures } from '../protocol/contracts/gate-contract.ts';

export type MeasuredCoverage = {
  readonly percent: number;
  /** Changed files that no report has. */
  readonly unlisted: readonly string[];
};

/** Of all lines, or of the changed ones if that is less. */
export function coverageIn({
  percent,
  changedPercent = percent,
  unlisted = [],
}: CoverageFigures): MeasuredCoverage {
  return { percent: Math.min(percent, changedPercent), unlisted };
}

/** The lowest figure, and the files that each report lacks. Undefined: nothing was measured. */
export function leastCoverage(measured: readonly MeasuredCoverage[]): MeasuredCoverage | undefined {
  const [first, ...more] = measured;
  if (first === undefined) return undefined;
  const unlisted = first.unlisted.filter((file) =>
    more.every((other) => other.unlisted.includes(file)),
  );
  return { percent: Math.min(...measured.map(({ percent }) => percent)), unlisted };
}
