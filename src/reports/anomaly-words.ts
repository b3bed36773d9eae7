/** What was found in the turns of an attempt, for people. */
import { defined } from '../base/defined.ts';
import type { AnomalyNote, SteeringDecision } from '../protocol/contracts/steering-contract.ts';

/** The same finding again is one entry. */
export type AnomalyRecord = Pick<
  AnomalyNote,
  'detector' | 'decision' | 'turn' | 'words' | 'message' | 'why'
> & {
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
  undelivered: 'an anomaly was found, and the agent could not be told',
  paused: 'an emergency continued after four messages, so the run was paused',
};

/** `times` counts those of one kind. The first one, and its message, stay. */
export function addAnomaly(
  known: readonly AnomalyRecord[],
  { detector, decision, turn, words, message, why }: AnomalyNote,
  at: number,
): readonly AnomalyRecord[] {
  const same = known.find((one) => one.detector === detector && one.decision === decision);
  if (same === undefined) {
    const first = { detector, decision, turn, words, ...defined({ message, why }) };
    return [...known, { ...first, at, times: 1 }];
  }
  return known.map((one) => (one === same ? { ...one, times: one.times + 1 } : one));
}

export function describeAnomaly({
  detector,
  words,
  decision,
  message,
  why,
}: Pick<AnomalyNote, 'detector' | 'words' | 'decision' | 'message' | 'why'>): string {
  const as = message === undefined ? '' : `, message ${message}`;
  const because = why === undefined ? '' : `: ${why}`;
  return `${detector}: ${words} (${decision}${as}${because})`;
}
