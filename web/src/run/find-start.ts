/** Where the output of an attempt or a gate begins to matter. */
import type { TailLine } from '../../../src/protocol/views/board-state.ts';

const FAILS = /\b(?:fail(?:ed|ure|ing)?|error|not ok|panic|assert\w*)\b|✖|✗|×/i;
/** A summary such as `# fail 0` is no failure. */
const NOTHING_FAILS = /\b(?:0 (?:fail|error)|(?:fail(?:ed|ures)?|errors?):? 0)\b/i;

/** A gate opens at its first failing line, in its last run. Anything else opens at its first line. */
export function findStart(lines: readonly TailLine[], title: string): number | undefined {
  // Such as `gate test: npm test, on attempt 1`, or `gate npm test, on attempt 1`.
  const isWanted = (line: TailLine | undefined): boolean =>
    line !== undefined &&
    (line.title === title ||
      line.title.startsWith(`${title}:`) ||
      line.title.startsWith(`${title},`));
  const last = lines.findLastIndex(isWanted);
  if (last < 0) return undefined;
  let first = last;
  while (isWanted(lines[first - 1])) first -= 1;
  if (!title.startsWith('gate ')) return first;
  const at = lines
    .slice(first, last + 1)
    .findIndex(({ text }) => FAILS.test(text) && !NOTHING_FAILS.test(text));
  return at < 0 ? first : first + at;
}
