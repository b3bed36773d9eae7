/**
 * Splits a shell script into the lines that its shell executes: without comments, and with each command on one line
 * that quotes, a backslash or an operator continue. So a file that `grep` in a script reads is not taken for one that
 * the script starts.
 */
import { posix } from 'node:path';

const SHELL_NAME = /\.(?:ba|z|da|k|a)?sh$/i;
const SHELL_LINE = /^#!.*\b(?:ba|z|da|k|a)?sh\b/;
/** Folders of hooks that git starts. A file in one is a script of the shell unless its first line says otherwise. */
const HOOKS = /(?:^|\/)(?:\.husky|\.?git-?hooks|hooks)\//;

export function isShellScript(path: string, text: string): boolean {
  if (text.startsWith('#!')) return SHELL_LINE.test(text.split('\n', 1)[0] ?? '');
  if (SHELL_NAME.test(path)) return true;
  const name = posix.basename(path);
  return (HOOKS.test(path) && !name.includes('.')) || name === '.envrc';
}

/** Words that stand before a command, and are no program. */
const KEYWORDS = /^(?:if|then|elif|else|while|until|do|time|!)\s+/;
const CLOSING = /^(?:fi|done|else|then|do|esac)$/;

/** One line for each command. Undefined: the script can't be split, so that all of its words count. */
export function scriptLines(
  text: string,
  isReader: (name: string) => boolean,
): readonly string[] | undefined {
  // The text behind `<<` is the input of a command, which may execute it.
  if (/<</.test(text) || redefines(text, isReader)) return undefined;
  const lines: string[] = [];
  let line = '';
  let quote = '';
  const ending = new LineEnding();
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\' && quote !== "'") {
      at += 1;
      if (text.charAt(at) !== '\n') line += ending.with(character + text.charAt(at));
    } else if (quote !== '') {
      if (character === quote) quote = '';
      line += ending.with(character);
    } else if (character === '#' && /^$|[\s;&|(]/.test(text.charAt(at - 1))) {
      const end = text.indexOf('\n', at);
      at = (end < 0 ? text.length : end) - 1;
    } else if (character === '\n') {
      if (ending.continues) line += ending.with(' ');
      else {
        lines.push(line);
        line = ending.with('');
      }
    } else {
      if (character === '"' || character === "'") quote = character;
      line += ending.with(character);
    }
  }
  if (quote !== '') return undefined;
  return [...lines, line].map((one) => one.trim()).filter((one) => one !== '');
}

/** What a line ends with, without a look at the whole line for each of its parts. */
class LineEnding {
  #last = '';
  #isBlank = false;

  /** Returns what is added. Empty: a new line begins. */
  with(added: string): string {
    if (added === '') [this.#last, this.#isBlank] = ['', false];
    for (const character of added) {
      const isBlank = /\s/.test(character);
      if (!isBlank) this.#last = (this.#isBlank ? '' : this.#last.slice(-1)) + character;
      this.#isBlank = isBlank;
    }
    return added;
  }

  /** An operator continues on the next line. */
  get continues(): boolean {
    return this.#last.endsWith('|') || this.#last === '&&';
  }
}

/** The command without the words of the shell before it: `if`, `then`, `!`. Empty if there is nothing else. */
export function withoutKeywords(words: readonly string[]): readonly string[] {
  for (let at = 0; ; at += 1) {
    const first = words[at] ?? '';
    if (CLOSING.test(first) && at === words.length - 1) return [];
    if (!KEYWORDS.test(`${first} `)) return words.slice(at);
  }
}

/** Whether the script gives the name of a program that only reads to something else. */
function redefines(text: string, isReader: (name: string) => boolean): boolean {
  const named = [
    ...text.matchAll(/\b(?:alias|function)\s+([\w.-]+)|(?<![\w.-])([\w.-]+)\s*\(\s*\)/g),
  ];
  return named.some(([, given = '', called = '']) => isReader(given) || isReader(called));
}
