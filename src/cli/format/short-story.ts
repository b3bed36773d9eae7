/** The causes that `why` shows unless a person asks for all: the story without its details. */
import type { WhyView } from '../../reports/runs/explain-run.ts';

type Causes = WhyView['chain'];

const FIRST_SHOWN = 3;
const LAST_SHOWN = 8;

/**
 * Leaves out details, the evidence of all causes but the last that has any, and the middle of a long story. `leftOut`
 * is how many causes and lines of evidence that are.
 */
export function shortStory(chain: Causes): { readonly chain: Causes; readonly leftOut: number } {
  const story = chain.filter(({ isDetail }) => isDetail !== true);
  const telling = story.findLastIndex(({ evidence }) => evidence.length > 0);
  const told = story.map((one, place) => (place === telling ? one : { ...one, evidence: [] }));
  const shown = withoutMiddle(told);
  return { chain: shown, leftOut: countLines(chain) - countLines(shown) };
}

function withoutMiddle(chain: Causes): Causes {
  const count = chain.length - FIRST_SHOWN - LAST_SHOWN;
  const first = chain[FIRST_SHOWN];
  if (count <= 1 || first === undefined) return chain;
  const gap = { at: first.at, what: `… ${count} more …`, evidence: [] };
  return [...chain.slice(0, FIRST_SHOWN), gap, ...chain.slice(-LAST_SHOWN)];
}

function countLines(chain: Causes): number {
  return chain.reduce((sum, { evidence }) => sum + 1 + evidence.length, 0);
}
