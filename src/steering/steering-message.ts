/** The words that an agent gets: what is wrong, one action, and where it was seen. At most three sentences. */
import { cutAtWord } from '../base/text.ts';
import type { Anomaly } from './anomaly.ts';

const CHARS_MAX = 500;
const WORDS_CHARS_MAX = 300;
const LABEL = '[SUPERVISOR]';

/** Without the label, which a message gets when it is sent. `turn`: the turn of the check. */
export function steeringText({ detector, words, action, since }: Anomaly, turn: number): string {
  const prefix = detector === 'tool-advice' ? 'Tool guidance: ' : '';
  const seen = since >= turn ? `Seen in turn ${turn}.` : `Seen in turns ${since} to ${turn}.`;
  return cutAtWord(`${prefix}${cutAtWord(words, WORDS_CHARS_MAX)} ${action} ${seen}`, CHARS_MAX);
}

/** As people see it. */
export function steeringMessage(anomaly: Anomaly, turn: number): string {
  const text = steeringText(anomaly, turn);
  return anomaly.detector === 'tool-advice' ? text : `${LABEL} ${text}`;
}
