/** Parses a pattern into a tree. It supports the syntax that needs no backtracking. */

const REPEAT_MAX = 200;

export type CharTest = (code: number) => boolean;
export type RegexEdge = 'start' | 'end' | 'word';

export type RegexNode =
  | { readonly kind: 'char'; readonly test: CharTest }
  | { readonly kind: 'edge'; readonly edge: RegexEdge }
  | { readonly kind: 'all'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'any'; readonly parts: readonly RegexNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: RegexNode;
      readonly min: number;
      readonly max: number;
    };

/** Thrown while a pattern is parsed, and caught by `compileRegex`. */
export class InvalidRegex extends Error {}

const isDigit: CharTest = (code) => code >= 48 && code <= 57;
export const isWordChar: CharTest = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: CharTest = (code) =>
  code === 32 || (code >= 9 && code <= 13) || code === 160 || code === 0xfe_ff;
const isNot =
  (test: CharTest): CharTest =>
  (code) =>
    !test(code);
const SHORTHANDS: Readonly<Record<string, CharTest>> = {
  d: isDigit,
  D: isNot(isDigit),
  w: isWordChar,
  W: isNot(isWordChar),
  s: isSpace,
  S: isNot(isSpace),
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Throws `InvalidRegex`. */
export function parseRegex(source: string): RegexNode {
  return new Reader(source).read();
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): RegexNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new InvalidRegex('a ) has no matching (');
    return node;
  }

  #peek(): string | undefined {
    return this.#source[this.#at];
  }

  #take(expected?: string): string {
    const next = this.#source[this.#at];
    if (next === undefined) throw new InvalidRegex('it ends unexpectedly');
    if (expected !== undefined && next !== expected)
      throw new InvalidRegex(`a ${expected} is missing`);
    this.#at += 1;
    return next;
  }

  #choice(): RegexNode {
    const parts = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#take();
      parts.push(this.#sequence());
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'any', parts };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      if (next === '|' || next === ')') break;
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'all', parts };
  }

  #repeated(part: RegexNode): RegexNode {
    const times = this.#times();
    if (times === undefined) return part;
    if (part.kind === 'edge') throw new InvalidRegex('a quantifier follows ^, $ or \\b');
    const next = this.#peek();
    if (next === '?' || next === '+' || next === '*')
      throw new InvalidRegex('a quantifier follows a quantifier');
    return { kind: 'repeat', part, ...times };
  }

  #times(): { readonly min: number; readonly max: number } | undefined {
    switch (this.#peek() ?? '') {
      case '?':
        this.#take();
        return { min: 0, max: 1 };
      case '*':
        this.#take();
        return { min: 0, max: Infinity };
      case '+':
        this.#take();
        return { min: 1, max: Infinity };
      case '{':
        return this.#bounds();
      default:
        return undefined;
    }
  }

  #bounds(): { readonly min: number; readonly max: number } {
    const close = this.#source.indexOf('}', this.#at);
    const text = close === -1 ? '' : this.#source.slice(this.#at, close + 1);
    const [, from, comma, to] = /^\{(\d{1,3})(,?)(\d{0,3})\}$/.exec(text) ?? [];
    if (from === undefined) throw new InvalidRegex('a { is not a quantifier (write \\{)');
    const min = Number(from);
    const max = comma === '' ? min : to === '' ? Infinity : Number(to);
    if (min > max || min > REPEAT_MAX || (max !== Infinity && max > REPEAT_MAX))
      throw new InvalidRegex(`a repetition is not between 0 and ${REPEAT_MAX}`);
    this.#at = close + 1;
    return { min, max };
  }

  #atom(): RegexNode {
    const next = this.#take();
    switch (next) {
      case '(': {
        if (this.#peek() === '?') {
          this.#take();
          if (this.#take() !== ':')
            throw new InvalidRegex('look-around and named groups are not supported');
        }
        const inner = this.#choice();
        this.#take(')');
        return inner;
      }
      case '[':
        return { kind: 'char', test: this.#class() };
      case '.':
        return { kind: 'char', test: (code) => code !== 10 };
      case '^':
        return { kind: 'edge', edge: 'start' };
      case '$':
        return { kind: 'edge', edge: 'end' };
      case '\\':
        if (this.#peek() === 'b') {
          this.#take();
          return { kind: 'edge', edge: 'word' };
        }
        return { kind: 'char', test: this.#escape() };
      case '?':
      case '*':
      case '+':
      case '{':
        throw new InvalidRegex(`a ${next} has nothing before it`);
      default:
        return { kind: 'char', test: isCharacter(next) };
    }
  }

  #escape(): CharTest {
    const next = this.#take();
    const shorthand = SHORTHANDS[next];
    if (shorthand !== undefined) return shorthand;
    const control = CONTROLS[next];
    if (control !== undefined) return isCharacter(control);
    if (isWordChar(next.charCodeAt(0))) throw new InvalidRegex(`\\${next} is not supported`);
    return isCharacter(next);
  }

  #class(): CharTest {
    const isNegated = this.#peek() === '^';
    if (isNegated) this.#take();
    const tests: CharTest[] = [];
    while (this.#peek() !== ']') {
      const first = this.#take();
      if (first === '\\') {
        tests.push(this.#escape());
        continue;
      }
      if (this.#peek() === '-' && this.#source[this.#at + 1] !== ']') {
        this.#take();
        const last = this.#take();
        if (last === '\\' || last < first)
          throw new InvalidRegex(`${first}-${last} is not a range`);
        tests.push(isInRange(first, last));
      } else {
        tests.push(isCharacter(first));
      }
    }
    this.#take(']');
    if (tests.length === 0) throw new InvalidRegex('a [] is empty');
    const test: CharTest = (code) => tests.some((one) => one(code));
    return isNegated ? isNot(test) : test;
  }
}

function isCharacter(character: string): CharTest {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()].map((text) =>
    text.charCodeAt(0),
  );
  return (code) => code === lower || code === upper;
}

function isInRange(first: string, last: string): CharTest {
  const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)];
  const within: CharTest = (code) => code >= low && code <= high;
  return (code) => {
    if (within(code)) return true;
    if (code >= 65 && code <= 90) return within(code + 32);
    return code >= 97 && code <= 122 && within(code - 32);
  };
}
