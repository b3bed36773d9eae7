/**
 * Counts the tokens of a text with OpenAI's `o200k_base`. Other vendors publish no tokenizer, so
 * their count is estimated as this count plus a margin.
 */
import { countTokens as countPieces } from 'gpt-tokenizer/encoding/o200k_base';

export const TOKENIZER = 'o200k_base';

/** How many more tokens a vendor's tokenizer may count, as a share of our count. */
const MARGINS: Readonly<Record<string, number>> = { codex: 0.02, gemini: 0.15, claude: 0.35 };
const MARGIN_OTHERS = 0.35;

export function tokenizerMargin(cli: string | null): number {
  return MARGINS[cli ?? ''] ?? MARGIN_OTHERS;
}

/** Of several CLIs, the one that may count the most tokens. */
export function widestMargin(clis: readonly string[]): string | null {
  return clis.toSorted((one, other) => tokenizerMargin(other) - tokenizerMargin(one))[0] ?? null;
}

/** The limit for our count. It keeps the vendor's count within the budget. */
export function usableTokens(budget: number, cli: string | null): number {
  return Math.floor(budget / (1 + tokenizerMargin(cli)));
}

/** In files, names such as <|endoftext|> are ordinary text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
/** The tokenizer takes quadratic time for one long word, so such a word is split. It then counts a little more. */
const WORD_CHARS_MAX = 1000;

export function countTokens(text: string): number {
  let count = 0;
  let from = 0;
  for (const [start, end] of longWords(text)) {
    count += countPieces(text.slice(from, start), AS_TEXT);
    for (let at = start; at < end; at += WORD_CHARS_MAX)
      count += countPieces(text.slice(at, Math.min(at + WORD_CHARS_MAX, end)), AS_TEXT);
    from = end;
  }
  return count + countPieces(from === 0 ? text : text.slice(from), AS_TEXT);
}

/** Finds long runs of space or of other characters. Sampling is enough to hit each of them. */
function* longWords(text: string): Iterable<readonly [start: number, end: number]> {
  const step = WORD_CHARS_MAX / 2;
  for (let at = step; at < text.length; at += step) {
    const isSpace = isSpaceAt(text, at);
    let start = at;
    while (start > 0 && isSpaceAt(text, start - 1) === isSpace) start -= 1;
    let end = at + 1;
    while (end < text.length && isSpaceAt(text, end) === isSpace) end += 1;
    if (end - start >= WORD_CHARS_MAX) yield [start, end];
    at = Math.max(at, end - step);
  }
}

function isSpaceAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** No text has more tokens than bytes. */
export function tokensAtMost(text: string): number {
  return Buffer.byteLength(text);
}
