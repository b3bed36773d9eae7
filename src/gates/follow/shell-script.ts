/**
 * Reads a shell script without running it: which commands it holds, with the values that can be known.
 * What can't be known stands as `UNKNOWN` in a word. It errs on the side of too many commands: both arms
 * of an `if`, and the body of every function, count.
 */

import type { ShellCommand, ShellGiven, ShellScript } from './shell-values.ts';
import { ALL_ARGS, UNKNOWN, valuesAt } from './shell-values.ts';

const ALTERNATIVES_MAX = 32;
const COMMANDS_MAX = 2000;
const DEPTH_MAX = 6;
/** Words that only part commands. */
const KEYWORDS = new Set(
  'if then else elif fi do done while until ! { } time esac coproc'.split(' '),
);

export function readShell(
  text: string,
  given: ShellGiven,
  vars = new Map<string, readonly string[]>(),
  depth = 0,
): ShellScript {
  return new Reader(text, given, vars, depth).read();
}

class Reader {
  readonly #text: string;
  readonly #given: ShellGiven;
  readonly #vars: Map<string, readonly string[]>;
  readonly #depth: number;
  readonly #commands: ShellCommand[] = [];
  readonly #functions: string[] = [];
  #at = 0;
  #words: (readonly string[])[] = [];
  #word: readonly string[] | undefined;
  #isQuoted = false;
  #skipNext = false;
  #parens = 0;
  #heredocs: string[] = [];
  #wantsHeredoc = false;

  constructor(
    text: string,
    given: ShellGiven,
    vars: Map<string, readonly string[]>,
    depth: number,
  ) {
    this.#text = text;
    this.#given = given;
    this.#vars = vars;
    this.#depth = depth;
  }

  read(): ShellScript {
    while (this.#at < this.#text.length && this.#commands.length < COMMANDS_MAX) this.#step();
    this.#endCommand();
    return { commands: this.#commands, functions: this.#functions };
  }

  #step(): void {
    const text = this.#text;
    const char = text.charAt(this.#at);
    switch (char) {
      case '\\':
        if (text.charAt(this.#at + 1) !== '\n') this.#add(text.charAt(this.#at + 1));
        this.#at += 2;
        return;
      case "'": {
        const end = text.indexOf("'", this.#at + 1);
        this.#add(text.slice(this.#at + 1, end < 0 ? text.length : end));
        this.#isQuoted = true;
        this.#at = end < 0 ? text.length : end + 1;
        return;
      }
      case '"':
        this.#at += 1;
        this.#isQuoted = true;
        this.#add('');
        this.#quoted();
        return;
      case '$':
      case '`':
        this.#expand();
        return;
      case '#':
        if (this.#word !== undefined) break;
        while (this.#at < text.length && text.charAt(this.#at) !== '\n') this.#at += 1;
        return;
      case ' ':
      case '\t':
      case '\r':
        this.#endWord();
        this.#at += 1;
        return;
      case '\n':
        this.#endCommand();
        this.#at += 1;
        this.#skipHeredocs();
        return;
      case ';':
      case '&':
      case '|':
        if (char === '&' && text.charAt(this.#at + 1) === '>') {
          this.#at += 1;
          return;
        }
        this.#endCommand();
        this.#at += 1;
        return;
      case '(':
        this.#paren();
        return;
      case ')':
        this.#endWord();
        // Outside of any parenthesis it ends a pattern of `case`, which is no command.
        if (this.#parens > 0) this.#parens -= 1;
        else this.#words = [];
        this.#endCommand();
        this.#at += 1;
        return;
      case '<':
      case '>':
        this.#redirect(char);
        return;
      default:
    }
    this.#add(char);
    this.#at += 1;
  }

  #paren(): void {
    const rest = /^\(\s*\)/.exec(this.#text.slice(this.#at, this.#at + 20));
    this.#endWord();
    const name = this.#words.at(-1)?.[0];
    if (rest !== null && name !== undefined) {
      this.#functions.push(name);
      this.#words = [];
      this.#at += rest[0].length;
      return;
    }
    this.#endCommand();
    this.#parens += 1;
    this.#at += 1;
  }

  #redirect(char: string): void {
    if (this.#word?.every((one) => /^\d+$/.test(one)) === true) this.#word = undefined;
    this.#endWord();
    if (this.#text.charAt(this.#at + 1) === '(') {
      this.#at += 1;
      return; // a process substitution: its commands are read like those of a subshell
    }
    const [operator = char] = /^(?:<<<|<<-?|>>|<>|>\||[<>]&?)/.exec(
      this.#text.slice(this.#at, this.#at + 3),
    ) ?? [char];
    this.#at += operator.length;
    this.#wantsHeredoc = /^<<-?$/.test(operator);
    this.#skipNext = true;
  }

  #skipHeredocs(): void {
    for (const end of this.#heredocs.splice(0)) {
      while (this.#at < this.#text.length) {
        const next = this.#text.indexOf('\n', this.#at);
        const line = this.#text.slice(this.#at, next < 0 ? undefined : next);
        this.#at = next < 0 ? this.#text.length : next + 1;
        if (line.trim() === end) break;
      }
    }
  }

  #quoted(): void {
    const text = this.#text;
    while (this.#at < text.length) {
      const char = text.charAt(this.#at);
      if (char === '"') {
        this.#at += 1;
        return;
      }
      if (char === '$' || char === '`') {
        this.#expand();
      } else if (char === '\\') {
        const next = text.charAt(this.#at + 1);
        this.#add(/["\\$`]/.test(next) ? next : next === '\n' ? '' : `\\${next}`);
        this.#at += 2;
      } else {
        this.#add(char);
        this.#at += 1;
      }
    }
  }

  #expand(): void {
    const { values, length } = valuesAt(this.#text.slice(this.#at), {
      given: this.#given,
      vars: this.#vars,
      read: (text) =>
        this.#depth < DEPTH_MAX
          ? readShell(text, this.#given, this.#vars, this.#depth + 1)
          : undefined,
      onScript: ({ commands, functions }) => {
        this.#commands.push(...commands);
        this.#functions.push(...functions);
      },
    });
    this.#at += length;
    this.#addAny(values);
  }

  #add(text: string): void {
    this.#word = (this.#word ?? ['']).map((one) => one + text);
  }

  #addAny(values: readonly string[]): void {
    const before = this.#word ?? [''];
    const all = before.flatMap((one) => values.map((value) => one + value));
    this.#word = all.length > ALTERNATIVES_MAX ? before.map((one) => one + UNKNOWN) : all;
  }

  #endWord(): void {
    const word = this.#word;
    if (word === undefined) return;
    this.#word = undefined;
    if (this.#skipNext) {
      if (this.#wantsHeredoc) this.#heredocs.push(word[0] ?? '');
      [this.#skipNext, this.#wantsHeredoc] = [false, false];
      return;
    }
    const isKeyword = !this.#isQuoted && this.#words.length === 0 && KEYWORDS.has(word[0] ?? '');
    // A value that stands without quotes is split, as the shell would do it.
    const split = this.#isQuoted || word.length > 1 ? [word] : splitAtSpaces(word[0] ?? '');
    this.#isQuoted = false;
    if (isKeyword) return;
    for (const one of split)
      this.#words.push(...(one[0] === ALL_ARGS ? this.#given.args.map((arg) => [arg]) : [one]));
  }

  #endCommand(): void {
    this.#endWord();
    this.#skipNext = false;
    const words = this.#words;
    this.#words = [];
    const first = words[0]?.[0];
    if (first === undefined) return;
    if (first === 'for' || first === 'select') {
      const values = words.slice(3).flat();
      this.#vars.set(words[1]?.[0] ?? '', values.length === 0 ? [UNKNOWN] : values);
      return;
    }
    if (first === 'case' || first === '[[' || first === 'in') return;
    if (first === 'function') {
      this.#functions.push(words[1]?.[0] ?? '');
      // `function run { ./check.sh; }`: its first command stands on the same line.
      const start = words.findIndex(([one = ''], index) => index > 1 && !KEYWORDS.has(one));
      if (start > 0) this.#keep(words.slice(start));
      return;
    }
    this.#keep(words);
  }

  #keep(all: readonly (readonly string[])[]): void {
    const isDeclaring = /^(?:export|readonly|local|declare|typeset)$/.test(all[0]?.[0] ?? '');
    const words = isDeclaring ? all.slice(1).filter(([one = '']) => !one.startsWith('-')) : all;
    const sets: [string, readonly string[]][] = [];
    let start = 0;
    for (; start < words.length; start += 1) {
      const [, name] = /^([A-Za-z_]\w*)\+?=/.exec(words[start]?.[0] ?? '') ?? [];
      if (name === undefined) break;
      sets.push([name, (words[start] ?? []).map((one) => one.replace(/^\w+\+?=/, ''))]);
    }
    const rest = isDeclaring ? [] : words.slice(start);
    if (rest.length === 0) for (const [name, values] of sets) this.#vars.set(name, values);
    for (const one of combineWords(rest)) this.#commands.push({ sets, words: one });
    if (rest.length === 0 && sets.length > 0) this.#commands.push({ sets, words: [] });
  }
}

function splitAtSpaces(word: string): readonly (readonly string[])[] {
  return word
    .split(/\s+/)
    .filter((part) => part !== '')
    .map((part) => [part]);
}

/** Every command that a list of words with alternatives may be. */
function combineWords(words: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let all: readonly (readonly string[])[] = words.length === 0 ? [] : [[]];
  for (const word of words) {
    const wider = all.flatMap((before) => word.map((one) => [...before, one]));
    // Alternatives of one word only: what each of them is counts, not how they go together.
    all = wider.length > ALTERNATIVES_MAX ? all.map((before) => [...before, UNKNOWN]) : wider;
  }
  return all;
}
