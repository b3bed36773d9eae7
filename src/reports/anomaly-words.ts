/** What was found in the turns of an attempt, for people. */
import type { AnomalyNote, SteeringDecision } from '../protocol/contracts/steering-contract.ts';

/** The same finding again is one entry. */
export type AnomalyRecord = Pick<AnomalyNote, 'detector' | 'decision' | 'turn' | 'words'> & {
  /** When it was found first. */
  readonly at: number;
  readonly times: number;
};

/** What became of it, after the name of the attempt. */
export const DECISION_WORDS: Readonly<Record<SteeringDecision, string>> = {
  shadow: 'an anomaly was found and only recorded',
  sent: 'an anomaly was found and the agent was told',
  'held-out': 'an anomaly was found, and this run is held out of messages',
  outranked: 'an anomaly was found beside a more severe one',
  undelivered: 'an anomaly was found, and there is no way to tell this agent',
  paused: 'an emergency continued after four messages',
};

export function addAnomaly(
  known: readonly AnomalyRecord[],
  { detector, decision, turn, words }: AnomalyNote,
  at: number,
): readonly AnomalyRecord[] {
  const same = known.find((one) => one.detector === detector && one.decision === decision);
  if (same === undefined) return [...known, { detector, decision, turn, words, at, times: 1 }];
  return known.map((one) => (one === same ? { ...one, times: one.times + 1 } : one));
}

export function describeAnomaly({
  detector,
  words,
  decision,
}: Pick<AnomalyNote, 'detector' | 'words' | 'decision'>): string {
  return `${detector}: ${words} (${decision})`;
}
