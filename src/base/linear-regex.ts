/**
 * Regular expressions that always match in time proportional to text × pattern. Users write the
 * patterns in their configuration, and agents write the text, so neither must be able to block the
 * process. The matcher runs the syntax that needs no backtracking as a set of states. Matching
 * ignores case. Supported: alternatives, groups, classes, `. ^ $ \b \d \w \s` and the quantifiers
 * `? * + {m,n}`. Not supported: back references, look-around and lazy quantifiers.
 */

import { InvalidRegex, isWordChar, parseRegex } from './linear-regex-syntax.ts';
import type { RegexEdge, RegexNode, CharTest } from './linear-regex-syntax.ts';

const SOURCE_MAX = 2000;
const STATES_MAX = 5000;

type State =
  | { readonly op: 'char'; readonly test: CharTest }
  | { readonly op: 'edge'; readonly edge: RegexEdge }
  | { readonly op: 'fork'; first: number; second: number }
  | { readonly op: 'match' };

export type LinearRegex = { readonly source: string; readonly matches: (text: string) => boolean };

export type RegexResult =
  | { readonly kind: 'pattern'; readonly pattern: LinearRegex }
  | { readonly kind: 'refused'; readonly why: string };

/** Never throws. Refuses a pattern that is invalid or cannot be matched in linear time, with the reason. */
export function compileRegex(source: string): RegexResult {
  if (source === '') return { kind: 'refused', why: 'it is empty' };
  if (source.length > SOURCE_MAX)
    return { kind: 'refused', why: `it is longer than ${SOURCE_MAX} characters` };
  try {
    const states = compile(parseRegex(source));
    return { kind: 'pattern', pattern: { source, matches: (text) => search(states, text) } };
  } catch (error) {
    if (error instanceof InvalidRegex) return { kind: 'refused', why: error.message };
    throw error;
  }
}

/** For built-in patterns, which are valid. */
export function linearRegex(source: string): LinearRegex {
  const result = compileRegex(source);
  if (result.kind === 'refused') throw new Error(`invalid pattern ${source}: ${result.why}`);
  return result.pattern;
}

function compile(tree: RegexNode): readonly State[] {
  const states: State[] = [];
  const add = (state: State): number => {
    if (states.length >= STATES_MAX) throw new InvalidRegex('it is too large');
    return states.push(state) - 1;
  };
  const fork = (): { readonly op: 'fork'; first: number; second: number } => {
    const state = { op: 'fork' as const, first: 0, second: 0 };
    add(state);
    return state;
  };
  const emit = (node: RegexNode): void => {
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
  const emitRepeat = (part: RegexNode, min: number, max: number): void => {
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

/** Tracks all states at once, one character at a time, and never goes back. */
function search(states: readonly State[], text: string): boolean {
  const seen = new Int32Array(states.length).fill(-1);
  let current: number[] = [];
  let next: number[] = [];
  const enter = (start: number, at: number, target: number[]): boolean => {
    const open = [start];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (seen[index] === at) continue;
      seen[index] = at;
      const state = states[index];
      if (state === undefined || state.op === 'match') return true;
      if (state.op === 'char') target.push(index);
      else if (state.op === 'fork') open.push(state.second, state.first);
      else if (isAtEdge(state.edge, text, at)) open.push(index + 1);
    }
    return false;
  };
  for (let at = 0; at <= text.length; at += 1) {
    if (enter(0, at, current)) return true;
    if (at === text.length) return false;
    const code = text.charCodeAt(at);
    for (const index of current) {
      const state = states[index];
      if (state?.op === 'char' && state.test(code) && enter(index + 1, at + 1, next)) return true;
    }
    [current, next] = [next, current];
    next.length = 0;
  }
  return false;
}

function isAtEdge(edge: RegexEdge, text: string, at: number): boolean {
  switch (edge) {
    case 'start':
      return at === 0;
    case 'end':
      return at === text.length;
    case 'word': {
      const before = at > 0 && isWordChar(text.charCodeAt(at - 1));
      const after = at < text.length && isWordChar(text.charCodeAt(at));
      return before !== after;
    }
  }
}
