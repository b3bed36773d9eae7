/** Facts per time: a program that goes in circles is a bug, also when something else ends it in the end. */
import type { Fact, WorldRecord } from './record.ts';

const WITHIN_MS = 1000;
/** The most that 300 worlds had was 8 commands; with their ends and signals that is less than 40 facts. */
const FACTS_MAX = 100;

/** What an agent tells of itself does not count: how much that is, is up to the agent. */
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
