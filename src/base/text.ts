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

/** The text with a full stop, unless it ends with a mark already. */
export function asSentence(text: string): string {
  return /[.?!…:;,]["')\]]?$/.test(text) || text === '' ? text : `${text}.`;
}

/** The same as `oneLine`. A line that ends without a mark gets a full stop if the next one begins like a sentence. */
export function joinLines(text: string): string {
  const lines = text.split('\n').map(oneLine).filter(Boolean);
  return lines
    .map((line, place) => (/^[A-Z]/.test(lines[place + 1] ?? '') ? asSentence(line) : line))
    .join(' ');
}

const SENTENCE_END = /(?<=[.?!…]["')\]]?) (?=[A-Z])/;
/** A sentence that is longer tells no remedy: it is the output of a program. */
const LAST_CHARS_MAX = 300;
/** More lines than these are the output of a program, below the line that says what happened. */
const LINES_MAX = 3;
const BEGINNING_CHARS_MIN = 40;

/**
 * On one line of at most `charsMax` characters. A long text loses its middle: its last sentences say what to do, so they
 * stay whole, even if the text is longer then.
 */
export function keepEnd(
  text: string,
  charsMax: number,
  cut: (text: string, charsMax: number) => string = truncate,
): string {
  const line = joinLines(text);
  if (line.length <= charsMax) return cut(line, charsMax);
  const lines = text.split('\n').filter((one) => one.trim() !== '');
  if (lines.length > LINES_MAX) return cut(oneLine(lines[0] ?? ''), charsMax);
  const sentences = line.split(SENTENCE_END);
  let end = sentences.pop() ?? '';
  if (sentences.length === 0 || end.length > LAST_CHARS_MAX) return cut(line, charsMax);
  for (let last = sentences.at(-1); last !== undefined; last = sentences.at(-1)) {
    if (sentences.length === 1 || last.length + 1 + end.length > (charsMax * 2) / 3) break;
    end = `${last} ${end}`;
    sentences.pop();
  }
  const room = Math.max(BEGINNING_CHARS_MIN, charsMax - end.length - 1);
  return `${cut(sentences.join(' '), room)} ${end}`;
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
