/** Small pieces of text for records and for people. */

/** At most `charsMax` characters. A text that is cut ends with an ellipsis. */
export function truncate(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}

/** At most `charsMax` characters, cut between two words if the last word is not too long. */
export function cutAtWord(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const start = text.slice(0, charsMax - 1);
  const space = start.lastIndexOf(' ');
  const whole = space >= start.length / 2 ? start.slice(0, space) : start;
  // A cut within a long word must not split a character.
  return `${whole.replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`;
}

/** The text on one line: each run of white space becomes one space. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A count with its noun: `1 file`, `2 files`. `many` is for nouns that take no plain `s`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The first `max` items, and how many there are besides: `a, b and 3 more`. */
export function shortList(items: readonly string[], max: number): string {
  const shown = items.slice(0, max).join(', ');
  return items.length > max ? `${shown} and ${items.length - max} more` : shown;
}

/** Lines of at most `charsMax` characters, broken between words. A longer word has a line of its own. */
export function wrapWords(text: string, charsMax: number): readonly string[] {
  const [first = '', ...words] = text.split(' ');
  const lines = [first];
  for (const word of words) {
    const last = lines.pop() ?? '';
    const longer = `${last} ${word}`;
    if (longer.length <= charsMax || last.trim() === '') lines.push(longer);
    else lines.push(last, word);
  }
  return lines;
}
