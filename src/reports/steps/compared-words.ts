/** The result of a comparison in words, with what it does not show. */
import { plural } from '../../base/text.ts';
import type { ArmComparison } from './compare-arms.ts';

type Compared = { readonly template: string; readonly step: string };

/** Below this the difference counts as shown. It is the usual bound. */
const P_MAX = 0.05;
/** Fewer pairs that differ cannot show anything, even if all of them agree. */
const DIFFERING_MIN = 6;

/** The first sentence is the result. */
export function comparedWords(
  { step }: Compared,
  { pairs, wins, losses, ties, voidPairs, pValue }: ArmComparison,
): readonly string[] {
  if (pairs === 0) return ['No pair of trials has ended, so nothing is compared.'];
  const counts = `${plural(pairs, 'pair')}: better with ${step} in ${wins}, worse in ${losses}, equal in ${ties}`;
  return [
    `${counts}.`,
    chanceWords(step, wins, losses, pValue),
    ...(wins + losses < DIFFERING_MIN
      ? [
          `At least ${DIFFERING_MIN} pairs must differ before a comparison can show anything. Use more tasks, or --runs.`,
        ]
      : []),
    ...(voidPairs === 0
      ? []
      : [`${plural(voidPairs, 'pair has', 'pairs have')} no verdict and do not count.`]),
  ];
}

function chanceWords(step: string, wins: number, losses: number, pValue: number | null): string {
  if (pValue === null) return `No pair differs: these tasks show no effect of ${step}.`;
  const share = pValue < 0.01 ? 'less than 1' : String(Math.round(pValue * 100));
  const chance = `By chance alone, so uneven a result appears in ${share} of 100 comparisons (p ${shortP(pValue)})`;
  if (pValue >= P_MAX) return `${chance}, so this shows no effect of ${step}.`;
  const effect = wins > losses ? 'helps' : 'hurts';
  return `${chance}, so ${step} probably ${effect} on tasks like these.`;
}

function shortP(pValue: number): string {
  return pValue < 0.001 ? '< 0.001' : `= ${pValue.toFixed(3)}`;
}
