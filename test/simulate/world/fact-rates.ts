/** Facts per time: a program that decides in circles is a bug, even if something else ends it. */
import type { Fact, WorldRecord } from './record.ts';

const WITHIN_MS = 1000;
/**
 * The most in 300 worlds was 8 commands. With their ends and signals that is less than 40 facts.
 */
const FACTS_MAX = 100;

/** The notes of an agent do not count: their number is up to the agent. */
export function factStorms({ facts }: WorldRecord): readonly string[] {
  const streams = Map.groupBy(
    facts.filter(({ type }) => type !== 'command.noted'),
    ({ stream }) => stream,
  );
  return [...streams].flatMap(([stream, own]) => {
    const place = own.findIndex((fact, nth) => isTooMany(fact, own[nth + FACTS_MAX]));
    if (place === -1) return [];
    return [`${stream} grew by ${FACTS_MAX} facts in ${WITHIN_MS} ms after fact ${place + 1}`];
  });
}

function isTooMany(first: Fact, last: Fact | undefined): boolean {
  return last !== undefined && last.elapsedMs - first.elapsedMs < WITHIN_MS;
}
