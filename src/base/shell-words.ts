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

/**
 * The first part of a line that a shell would act on and `shellWords` takes as it is. That is an operator, a variable, a
 * command in backquotes, `~`, or a variable that is set before the command. Quotes and backslashes protect as in a shell.
 */
export function shellSyntax(line: string): string | undefined {
  const [assigned] = /^\s*[A-Za-z_]\w*=/.exec(line) ?? [];
  if (assigned !== undefined) return assigned.trim();
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const rest = line.slice(at);
    if (character === '\\' && quote !== "'") at += 1;
    else if (quote === "'" ? character === "'" : quote !== '' && character === quote) quote = '';
    else if (quote === '' && /["']/.test(character)) quote = character;
    else if (quote !== "'" && EXPANDED.test(rest)) return EXPANDED.exec(rest)?.[0];
    else if (quote === '' && OPERATOR.test(rest)) return OPERATOR.exec(rest)?.[0];
    else if (quote === '' && character === '~' && /^$|\s/.test(line.charAt(at - 1))) return '~';
  }
  return undefined;
}

const EXPANDED = /^(?:\$(?:\w+|[{(@*#?!$-])|`)/;
const OPERATOR = /^(?:&&|\|\||>>|<<|[|&;<>()])/;

/** A word that joins two commands in a shell. Without a shell it is an argument, so the second command never runs. */
export function joiningWord(command: readonly string[]): string | undefined {
  return command.find((word) => /^(?:&&|\|\|?)$/.test(word));
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
  return lineOfShell(command) ?? command.map(shownWord).join(' ');
}

/** Quoted only if a reader could not tell where the word ends. */
function shownWord(word: string): string {
  return word === '' || /[\s'"]/.test(word) ? shellWord(word) : word;
}

/** Whether a name only repeats the command, however it is quoted there. */
export function isNamedByLine(name: string, command: readonly string[]): boolean {
  const words = shellWords(name);
  return name === describeCommand(command) || (words?.join('\0') ?? '') === command.join('\0');
}
