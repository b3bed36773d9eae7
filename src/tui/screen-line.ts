/** A line of the screen in pieces, each with one style. Every text passes `printable` here, so none controls the terminal. */
import { printable } from '../base/printable.ts';
import { cutToWidth, displayWidth } from '../host/output/fit-lines.ts';

const CODES = { plain: 0, bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Style = keyof typeof CODES;

export type Span = { readonly text: string; readonly style: Style };
export type ScreenLine = readonly Span[];

/** Longer texts are cut before they are measured: a line of a megabyte costs no more than one of this length. */
const CHARS_MAX = 1000;
const PLAIN_ASCII = /^[\u0020-\u007E]*$/;

export function span(text: string, style: Style = 'plain'): Span {
  const short = text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}…` : text;
  if (PLAIN_ASCII.test(short)) return { text: short, style };
  return { text: printable(short).replaceAll('\t', '  ').replaceAll('\n', ' '), style };
}

export function line(...pieces: readonly (Span | string)[]): ScreenLine {
  return pieces.map((piece) => (typeof piece === 'string' ? span(piece) : piece));
}

function columnsOf(text: string): number {
  return PLAIN_ASCII.test(text) ? text.length : displayWidth(text);
}

function widthOf(spans: ScreenLine): number {
  return spans.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

/** At most `columns` wide. A line that is cut ends with an ellipsis. */
export function fit(spans: ScreenLine, columns: number): ScreenLine {
  if (widthOf(spans) <= columns) return spans;
  const shown: Span[] = [];
  let left = columns - 1;
  for (const one of spans) {
    const width = columnsOf(one.text);
    if (width > left) {
      // With the two blanks it is too long in any case, and gets its ellipsis.
      shown.push({ ...one, text: cutToWidth(`${one.text}  `, left + 1) });
      break;
    }
    shown.push(one);
    left -= width;
  }
  return shown;
}

/** Exactly `columns` wide. */
export function pad(spans: ScreenLine, columns: number): ScreenLine {
  const shown = fit(spans, columns);
  const missing = columns - widthOf(shown);
  return missing > 0 ? [...shown, { text: ' '.repeat(missing), style: 'plain' }] : shown;
}

/** The right part keeps its width; the left one is cut. */
export function leftAndRight(left: ScreenLine, right: ScreenLine, columns: number): ScreenLine {
  const width = widthOf(right);
  if (width === 0 || width > columns / 2) return fit(left, columns);
  return [...pad(left, columns - width - 1), { text: ' ', style: 'plain' }, ...right];
}

/** As the terminal gets it. */
export function encode(spans: ScreenLine, hasColour: boolean): string {
  return spans
    .map(({ text, style }) =>
      hasColour && style !== 'plain' ? `\u001B[${CODES[style]}m${text}\u001B[0m` : text,
    )
    .join('')
    .trimEnd();
}

/** The whole line in grey: the owner is lost, and what it says may be old. */
export function greyed(spans: ScreenLine): ScreenLine {
  return spans.map(({ text }) => ({ text, style: 'dim' as const }));
}

export function textOf(spans: ScreenLine): string {
  return spans
    .map(({ text }) => text)
    .join('')
    .trimEnd();
}

/** Breaks between words. Further lines are indented. */
export function wrap(
  text: string,
  columns: number,
  style: Style = 'plain',
  indent = 0,
): ScreenLine[] {
  const room = Math.max(8, columns);
  const lines: ScreenLine[] = [];
  for (const paragraph of text.split('\n')) {
    let row = '';
    for (const word of paragraph.split(' ')) {
      const blank = lines.length === 0 && row === '' ? '' : ' '.repeat(indent);
      const next = row === '' ? blank + word : `${row} ${word}`;
      if (columnsOf(next) <= room || row === '') row = next;
      else {
        lines.push([span(row, style)]);
        row = ' '.repeat(indent) + word;
      }
    }
    lines.push([span(row, style)]);
  }
  return lines;
}
