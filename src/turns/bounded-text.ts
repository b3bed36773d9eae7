import { oneLine } from '../base/text.ts';

/** Read before it is cut: more than any bound of a record. */
const READ_CHARS_MAX = 2000;

/**
 * One line of at most `charsMax` characters. A cut drops the whole last word, because secrets are removed later, and
 * half of a secret is not recognized.
 */
export function boundedLine(text: string, charsMax: number): string {
  const line = oneLine(text.slice(0, READ_CHARS_MAX));
  if (line.length <= charsMax && text.length <= READ_CHARS_MAX) return line;
  const start = line.slice(0, charsMax - 1);
  const space = start.lastIndexOf(' ');
  return `${space < 0 ? '' : start.slice(0, space)}…`;
}
