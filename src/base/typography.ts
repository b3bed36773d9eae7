/** Finds quotes and dashes that a word processor or a chat has put in place of plain ones. No shell knows them. */

const QUOTE = /[\u201C\u201D\u201E\u201F\u00AB\u00BB]/g;
const APOSTROPHE = /[\u2018\u2019\u201A\u201B]/g;
const DASHES = /^[\u2010-\u2015\u2212]+-*(?=[A-Za-z])/;
const QUOTED = /^[\u201C\u201D\u201E\u2018\u2019\u201A\u00AB]|[\u201C\u201D\u00BB]$/;

/** An option that begins with a long dash, in plain form: `--agent` for `—agent`. Undefined: it is none. */
export function plainOption(word: string): string | undefined {
  if (!DASHES.test(word) || /\s/.test(word)) return undefined;
  const rest = word.replace(DASHES, '');
  return `${/^[A-Za-z](?:$|=)/.test(rest) ? '-' : '--'}${rest}`;
}

/** The line in plain form, if one of its words begins or ends with such a character. Undefined: it is plain. */
export function plainLine(line: string): string | undefined {
  const words = line.split(/\s+/);
  if (!words.some((word) => QUOTED.test(word) || plainOption(word) !== undefined)) return undefined;
  return words
    .map((word) => plainOption(word) ?? word)
    .join(' ')
    .replaceAll(QUOTE, '"')
    .replaceAll(APOSTROPHE, "'");
}
