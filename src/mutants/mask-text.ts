/** Hides the strings and comments of a source text, so that only code is left at its place. */

export type TextSyntax = {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** The longest first: `"""` before `"`. */
  readonly quotes: readonly string[];
};

/** The text with each hidden character, except for line ends, as `_`. Each character is read once. */
export function maskText(
  text: string,
  { lineComments, blockComments, quotes }: TextSyntax,
): string {
  const parts: string[] = [];
  let at = 0;
  const hide = (end: number): void => {
    parts.push(text.slice(at, end).replaceAll(/[^\n]/g, '_'));
    at = end;
  };
  while (at < text.length) {
    const isAt = (mark: string): boolean => text.startsWith(mark, at);
    const block = blockComments.find(([open]) => isAt(open));
    const quote = quotes.find((mark) => isAt(mark));
    if (block !== undefined) hide(endAfter(text, block[1], at + block[0].length));
    else if (lineComments.some(isAt)) {
      const end = text.indexOf('\n', at);
      hide(end < 0 ? text.length : end);
    } else if (quote !== undefined) hide(endOfString(text, quote, at + quote.length));
    else {
      parts.push(text.charAt(at));
      at += 1;
    }
  }
  return parts.join('');
}

function endAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

/** A string of one quote ends with its line: an apostrophe may stand alone, as in a Rust lifetime. */
function endOfString(text: string, quote: string, from: number): number {
  const isLong = quote.length > 1 || quote === '`';
  for (let at = from; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length;
    else if (!isLong && text.charAt(at) === '\n') return from;
  }
  return isLong ? text.length : from;
}
