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

/** The line that a shell executes, if these words only start a shell with it: `bash -lc 'npm test'`. */
export function lineOfShell(words: readonly string[]): string | undefined {
  const [program = '', option = '', line] = words;
  const isShell = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|z|k)?sh$/.test(program);
  return words.length === 3 && isShell && /^-[a-z]*c$/.test(option) ? line : undefined;
}

/** A command as a person would type it, without the shell that executes its line. */
export function describeCommand(command: readonly string[]): string {
  return lineOfShell(command) ?? command.join(' ');
}
