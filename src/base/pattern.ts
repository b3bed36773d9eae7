/**
 * Regular expressions whose matching takes time in proportion to text × pattern, whatever they are:
 * the part of the usual syntax that needs no backtracking, run as a set of states. Users write such
 * patterns into their configuration, and agents write the text that they are matched against.
 * Letters match in either case. Alternatives, groups, classes, `. ^ $ \b \d \w \s` and the
 * quantifiers `? * + {m,n}` are there; back references, look-around and lazy quantifiers are not.
 */

const SOURCE_MAX = 1000;
const REPEAT_MAX = 50;
const STATES_MAX = 5000;

type Test = (code: number) => boolean;
type Edge = 'start' | 'end' | 'word';

type Node =
  | { readonly kind: 'char'; readonly test: Test }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'all'; readonly parts: readonly Node[] }
  | { readonly kind: 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly part: Node; readonly min: number; readonly max: number };

type State =
  | { readonly op: 'char'; readonly test: Test }
  | { readonly op: 'edge'; readonly edge: Edge }
  | { readonly op: 'fork'; first: number; second: number }
  | { readonly op: 'match' };

export type Pattern = { readonly source: string; readonly found: (text: string) => boolean };

export type PatternRead =
  | { readonly kind: 'pattern'; readonly pattern: Pattern }
  | { readonly kind: 'refused'; readonly why: string };

/** Never throws: what can't be matched in linear time, or is no pattern, is refused with its reason. */
export function readPattern(source: string): PatternRead {
  if (source === '') return { kind: 'refused', why: 'it is empty' };
  if (source.length > SOURCE_MAX)
    return { kind: 'refused', why: `it is longer than ${SOURCE_MAX} characters` };
  try {
    const states = compile(new Reader(source).read());
    return { kind: 'pattern', pattern: { source, found: (text) => search(states, text) } };
  } catch (error) {
    if (error instanceof BadPattern) return { kind: 'refused', why: error.message };
    throw error;
  }
}

/** For patterns of our own, which are known to be good. */
export function pattern(source: string): Pattern {
  const read = readPattern(source);
  if (read.kind === 'refused') throw new Error(`bad pattern ${source}: ${read.why}`);
  return read.pattern;
}

/** Thrown and caught within this file. */
class BadPattern extends Error {}

const isDigit: Test = (code) => code >= 48 && code <= 57;
const isWord: Test = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: Test = (code) =>
  code === 32 || (code >= 9 && code <= 13) || code === 160 || code === 0xfe_ff;
const isNot =
  (test: Test): Test =>
  (code) =>
    !test(code);
const SHORTHANDS: Readonly<Record<string, Test>> = {
  d: isDigit,
  D: isNot(isDigit),
  w: isWord,
  W: isNot(isWord),
  s: isSpace,
  S: isNot(isSpace),
};
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** From characters to a tree. */
class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw new BadPattern('a ) has no (');
    return node;
  }

  #peek(): string | undefined {
    return this.#source[this.#at];
  }

  #take(expected?: string): string {
    const next = this.#source[this.#at];
    if (next === undefined) throw new BadPattern('it ends too early');
    if (expected !== undefined && next !== expected)
      throw new BadPattern(`a ${expected} is missing`);
    this.#at += 1;
    return next;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#peek() === '|') {
      this.#take();
      parts.push(this.#sequence());
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'any', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      if (next === '|' || next === ')') break;
      parts.push(this.#repeated(this.#atom()));
    }
    return { kind: 'all', parts };
  }

  #repeated(part: Node): Node {
    const times = this.#times();
    if (times === undefined) return part;
    if (part.kind === 'edge') throw new BadPattern('an edge of the text or of a word is repeated');
    const next = this.#peek();
    if (next === '?' || next === '+' || next === '*')
      throw new BadPattern('a quantifier follows a quantifier');
    return { kind: 'repeat', part, ...times };
  }

  #times(): { readonly min: number; readonly max: number } | undefined {
    switch (this.#peek()) {
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
    if (from === undefined) throw new BadPattern('a { is no quantifier (write \\{)');
    const min = Number(from);
    const max = comma === '' ? min : to === '' ? Infinity : Number(to);
    if (min > max || min > REPEAT_MAX || (max !== Infinity && max > REPEAT_MAX))
      throw new BadPattern(`a repetition is not between 0 and ${REPEAT_MAX}`);
    this.#at = close + 1;
    return { min, max };
  }

  #atom(): Node {
    const next = this.#take();
    switch (next) {
      case '(': {
        if (this.#peek() === '?') {
          this.#take();
          if (this.#take() !== ':') throw new BadPattern('look-around and named groups are not for here');
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
        throw new BadPattern(`a ${next} has nothing before it`);
      default:
        return { kind: 'char', test: same(next) };
    }
  }

  #escape(): Test {
    const next = this.#take();
    const shorthand = SHORTHANDS[next];
    if (shorthand !== undefined) return shorthand;
    const control = CONTROLS[next];
    if (control !== undefined) return same(control);
    if (isWord(next.charCodeAt(0))) throw new BadPattern(`\\${next} is not for here`);
    return same(next);
  }

  #class(): Test {
    const isNegated = this.#peek() === '^';
    if (isNegated) this.#take();
    const tests: Test[] = [];
    while (this.#peek() !== ']') {
      const first = this.#take();
      if (first === '\\') {
        tests.push(this.#escape());
        continue;
      }
      if (this.#peek() === '-' && this.#source[this.#at + 1] !== ']') {
        this.#take();
        const last = this.#take();
        if (last === '\\' || last < first) throw new BadPattern(`${first}-${last} is no range`);
        tests.push(range(first, last));
      } else {
        tests.push(same(first));
      }
    }
    this.#take(']');
    if (tests.length === 0) throw new BadPattern('a [] is empty');
    const test: Test = (code) => tests.some((one) => one(code));
    return isNegated ? isNot(test) : test;
  }
}

function same(character: string): Test {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()].map((text) =>
    text.charCodeAt(0),
  );
  return (code) => code === lower || code === upper;
}

function range(first: string, last: string): Test {
  const [low, high] = [first.charCodeAt(0), last.charCodeAt(0)];
  const within: Test = (code) => code >= low && code <= high;
  return (code) => {
    if (within(code)) return true;
    if (code >= 65 && code <= 90) return within(code + 32);
    return code >= 97 && code <= 122 && within(code - 32);
  };
}

function compile(tree: Node): readonly State[] {
  const states: State[] = [];
  const add = (state: State): number => {
    if (states.length >= STATES_MAX) throw new BadPattern('it is too large');
    return states.push(state) - 1;
  };
  const fork = (): { readonly op: 'fork'; first: number; second: number } => {
    const state = { op: 'fork' as const, first: 0, second: 0 };
    add(state);
    return state;
  };
  const emit = (node: Node): void => {
    switch (node.kind) {
      case 'char':
        add({ op: 'char', test: node.test });
        return;
      case 'edge':
        add({ op: 'edge', edge: node.edge });
        return;
      case 'all':
        for (const part of node.parts) emit(part);
        return;
      case 'any': {
        const exits = node.parts.map((part, index) => {
          const entry = index < node.parts.length - 1 ? fork() : undefined;
          if (entry !== undefined) entry.first = states.length;
          emit(part);
          const exit = fork();
          if (entry !== undefined) entry.second = states.length;
          return exit;
        });
        for (const exit of exits) exit.first = exit.second = states.length;
        return;
      }
      case 'repeat':
        emitRepeat(node.part, node.min, node.max);
    }
  };
  const emitRepeat = (part: Node, min: number, max: number): void => {
    for (let done = 0; done < min; done += 1) emit(part);
    if (max === Infinity) {
      const entry = fork();
      entry.first = states.length;
      emit(part);
      const back = fork();
      back.first = back.second = states.indexOf(entry);
      entry.second = states.length;
      return;
    }
    const skips = Array.from({ length: max - min }, () => {
      const skip = fork();
      skip.first = states.length;
      emit(part);
      return skip;
    });
    for (const skip of skips) skip.second = states.length;
  };
  emit(tree);
  add({ op: 'match' });
  return states;
}

/** All states at once, one character after the other: no text makes it go back. */
function search(states: readonly State[], text: string): boolean {
  const seen = new Int32Array(states.length).fill(-1);
  let here: number[] = [];
  let next: number[] = [];
  const enter = (start: number, at: number, into: number[]): boolean => {
    const open = [start];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen[index] === at) continue;
      seen[index] = at;
      const state = states[index];
      if (state === undefined || state.op === 'match') return true;
      if (state.op === 'char') into.push(index);
      else if (state.op === 'fork') open.push(state.second, state.first);
      else if (isAt(state.edge, text, at)) open.push(index + 1);
    }
    return false;
  };
  for (let at = 0; at <= text.length; at += 1) {
    if (enter(0, at, here)) return true;
    if (at === text.length) return false;
    const code = text.charCodeAt(at);
    for (const index of here) {
      const state = states[index];
      if (state?.op === 'char' && state.test(code) && enter(index + 1, at + 1, next)) return true;
    }
    [here, next] = [next, here];
    next.length = 0;
  }
  return false;
}

function isAt(edge: Edge, text: string, at: number): boolean {
  switch (edge) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'word': {
      const before = at > 0 && isWord(text.charCodeAt(at - 1));
      const after = at < text.length && isWord(text.charCodeAt(at));
      return before !== after;
    }
  }
}
