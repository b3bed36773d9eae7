/**
 * How long a text is for a model. The count is that of OpenAI's `o200k_base`; other vendors publish
 * no tokenizer, so for them the same count is taken with a margin.
 */
import { countTokens as countPieces } from 'gpt-tokenizer/encoding/o200k_base';

export const TOKENIZER = 'o200k_base';

/** How many more tokens a vendor's own tokenizer may make of a text, as a share of our count. */
const MARGINS: Readonly<Record<string, number>> = { codex: 0.02, gemini: 0.15, claude: 0.35 };
const MARGIN_OTHERS = 0.35;

export function marginOf(cli: string | null): number {
  return MARGINS[cli ?? ''] ?? MARGIN_OTHERS;
}

/** What our own count may reach, so that the vendor's stays within the budget. */
export function usableTokens(budget: number, cli: string | null): number {
  return Math.floor(budget / (1 + marginOf(cli)));
}

/** In files names such as <|endoftext|> are text like any other. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };
/** The tokenizer takes quadratic time for one long word; cut up, such a word counts a little more. */
const WORD_CHARS_MAX = 1000;
const LONG_WORD = new RegExp(`\\S{${WORD_CHARS_MAX},}|\\s{${WORD_CHARS_MAX},}`, 'g');

export function countTokens(text: string): number {
  let count = 0;
  let from = 0;
  for (const { 0: word, index } of text.matchAll(LONG_WORD)) {
    count += countPieces(text.slice(from, index), AS_TEXT);
    for (let at = 0; at < word.length; at += WORD_CHARS_MAX)
      count += countPieces(word.slice(at, at + WORD_CHARS_MAX), AS_TEXT);
    from = index + word.length;
  }
  return count + countPieces(from === 0 ? text : text.slice(from), AS_TEXT);
}

/** No text has more tokens than bytes. */
export function tokensAtMost(text: string): number {
  return Buffer.byteLength(text);
}
