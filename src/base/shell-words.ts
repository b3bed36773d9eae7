/** Splits a line into words like a shell, with quotes and backslashes and without expansions, and quotes words. */

/** Undefined if a quote is not closed, or a backslash is the last character. */
export function shellWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      if (at === line.length) return undefined;
      const next = line.charAt(at);
      const isPlain = quote === '"' && next !== '"' && next !== '\\';
      word = (word ?? '') + (isPlain ? character : '') + next;
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') return undefined;
  return word === undefined ? words : [...words, word];
}

/** A text quoted for a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
