/**
 * Fits text for people into the columns of a terminal, which would break lines inside words. A long line breaks between
 * words and continues below its own beginning. A command to copy stays whole, on a line of its own.
 */
import measure from 'fast-string-truncated-width';

/** A part of a line, from one index to another. */
type Range = { readonly from: number; readonly to: number };

/** A line of the result: blanks, and then a part of the original line. */
type Piece = Range & { readonly indent: number };

/** With less room beside a margin, text would be a column of single words. */
const ROOM_MIN = 24;
const COMMAND_INDENT = 2;

// oxlint-disable-next-line no-control-regex -- these change how text looks, and take no room
const CODES = /\u001B\[[\d;?]*[A-Za-z]|[\r\u0007]/g;
/** Blanks, and a mark such as that of a list. The text below continues after it. */
const BEGINNING = /^ *(?:(?:[-–•✔✓✖✗!?+~=→#|│]|\d+\.) +)*/;
/** Two blanks or more separate columns. */
const COLUMN = /(?<=\S) {2,}(?=\S)/g;
const PROGRAMS = '(?:supervisor|npx|npm|git|sudo|brew)';
/** A line that is only a command, and no row of a table. */
const COMMAND_LINE = new RegExp(`^ +(?:${PROGRAMS} |source )`);
/** What stands before a command that a person may copy. */
const BEFORE_COMMAND = new RegExp(
  `(?<=: )(?=(?:supervisor|npx|sudo|brew|systemctl|launchctl) |--[a-z])|(?<=\\bwith: )(?=[a-z])|(?<=^ +(?:install|fix): )`,
  'g',
);
/** A word as a shell reads it: what is quoted belongs to it. */
const SHELL_WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+|["']/y;
/** A command in a sentence. It stays on one line. */
const QUOTED_COMMAND = new RegExp(`\`[^\`]{1,60}\`|"${PROGRAMS} [^"]{1,60}"`, 'g');

const CHARACTERS = new Intl.Segmenter();

/** How many columns the text takes. Codes for colors take none, and many Asian characters take two. */
export function displayWidth(text: string): number {
  return measure(text).width;
}

/** At most this many columns. A text that is cut ends with an ellipsis. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let [cut, width] = ['', 0];
  // A character may consist of several code points, and is cut as a whole.
  for (const { segment } of CHARACTERS.segment(text)) {
    width += displayWidth(segment);
    if (width >= columns) break;
    cut += segment;
  }
  return `${cut}…`;
}

export function fitLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (displayWidth(line) <= columns ? line : fitLine(line, columns)))
    .join('\n');
}

function fitLine(line: string, columns: number): string {
  const plain = line.replaceAll(CODES, '');
  if (COMMAND_LINE.test(plain) && plain.search(COLUMN) < 0) return line;
  const pieces = layOut(plain, columns);
  const codes = findCodes(line);
  let next = 0;
  const shown = pieces.map(({ indent, from, to }, nth) => {
    let [text, at] = [' '.repeat(indent), from];
    // What follows the last piece is a blank or a mark that was left out, and its codes still count.
    const end = nth === pieces.length - 1 ? Infinity : to;
    for (let code = codes[next]; code !== undefined && code.at <= end; code = codes[next]) {
      const upTo = Math.min(Math.max(code.at, at), to);
      text += plain.slice(at, upTo) + code.text;
      at = upTo;
      next += 1;
    }
    return text + plain.slice(at, to);
  });
  return shown.join('\n');
}

/** The codes of a line, each with its place in the line without codes. */
function findCodes(line: string): readonly { readonly at: number; readonly text: string }[] {
  let before = 0;
  return [...line.matchAll(CODES)].map(({ index, 0: text }) => {
    const at = index - before;
    before += text.length;
    return { at, text };
  });
}

function layOut(plain: string, columns: number): readonly Piece[] {
  const begin = findText(plain, columns);
  const hang = displayWidth(plain.slice(0, begin));
  const pieces: Piece[] = [];
  let from = begin;
  for (const command of findCommands(plain, begin)) {
    const before = wrapWords(plain, { from, to: command.from }, hang, columns);
    pieces.push(...before, { ...command, indent: hang + COMMAND_INDENT });
    // The end of its line replaces the punctuation after a command, which must not be copied.
    from = command.to + (/^[.,;:]? */.exec(plain.slice(command.to))?.[0].length ?? 0);
  }
  pieces.push(...wrapWords(plain, { from, to: plain.length }, hang, columns));
  const [first, ...rest] = pieces;
  return first === undefined ? [] : [{ from: 0, to: first.to, indent: 0 }, ...rest];
}

/** The index at which the text of a line begins: after its margin, its mark, and the columns of a table. */
function findText(plain: string, columns: number): number {
  const starts = [
    BEGINNING.exec(plain)?.[0].length ?? 0,
    ...[...plain.slice(0, columns).matchAll(COLUMN)].map(
      ({ index, 0: blanks }) => index + blanks.length,
    ),
  ];
  const room = Math.min(columns / 2, columns - ROOM_MIN);
  return starts.findLast((start) => displayWidth(plain.slice(0, start)) <= room) ?? 0;
}

/** The commands after a colon, without the punctuation that ends the sentence. */
function findCommands(plain: string, begin: number): readonly Range[] {
  const commands: Range[] = [];
  for (const { index } of plain.matchAll(BEFORE_COMMAND)) {
    if (index <= begin || index < (commands.at(-1)?.to ?? 0)) continue;
    commands.push({ from: index, to: endOfCommand(plain, index) });
  }
  return commands;
}

function endOfCommand(plain: string, from: number): number {
  let to = from;
  for (let start = from; start < plain.length && plain[start] !== '('; start = to + 1) {
    SHELL_WORD.lastIndex = start;
    const [word = ''] = SHELL_WORD.exec(plain) ?? [];
    to = start + word.length;
    if (word.length > 1 && /[.,;:]$/.test(word)) return to - 1;
    if (plain[to] !== ' ') return to;
  }
  return plain.slice(from, to).trimEnd().length + from;
}

/** Every line begins `hang` columns from the left. Blanks at the beginning stay. */
function wrapWords(plain: string, { from, to }: Range, hang: number, columns: number): Piece[] {
  const pieces: Piece[] = [];
  for (const word of findWords(plain, from, to)) {
    const last = pieces.at(-1);
    const longer = last && { ...last, to: word.to };
    if (longer && hang + displayWidth(plain.slice(longer.from, longer.to)) <= columns)
      pieces[pieces.length - 1] = longer;
    else pieces.push({ from: last === undefined ? from : word.from, to: word.to, indent: hang });
  }
  return pieces;
}

function findWords(plain: string, from: number, to: number): readonly Range[] {
  const text = plain.slice(from, to);
  const whole = [...text.matchAll(QUOTED_COMMAND)].map((found) => rangeOf(found));
  const blanks = [...text.matchAll(/ +/g)]
    .map((found) => rangeOf(found))
    .filter((blank) => !whole.some((one) => one.from < blank.from && blank.to < one.to));
  const starts = [0, ...blanks.map((blank) => blank.to)];
  const ends = [...blanks.map((blank) => blank.from), text.length];
  return starts
    .map((start, nth) => ({ from: from + start, to: from + (ends[nth] ?? start) }))
    .filter((word) => word.to > word.from);
}

function rangeOf({ index, 0: found }: RegExpExecArray): Range {
  return { from: index, to: index + found.length };
}
