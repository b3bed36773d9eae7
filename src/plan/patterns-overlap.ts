/**
 * Whether one path can match both patterns. The answer is exact for `*`, `**`, `?` and `{a,b}`. Where a pattern allows
 * more than that, or takes too many steps to compare, the answer is yes: two components then take turns, which is slower
 * and never wrong. Patterns may come from a model, and each decision of the scheduler compares them, so both have a bound.
 */

const ALTERNATIVES_MAX = 64;
/** Of one pair of patterns. Usual pairs take less than a hundred. */
const PAIR_STEPS_MAX = 50_000;
/** Of all files with all patterns. */
const FILES_STEPS_MAX = 20_000_000;

/** How many steps comparisons have taken so far. It does not depend on the speed of the machine. */
export type Effort = { steps: number };

export function patternsOverlap(one: string, other: string): boolean {
  return findOverlap([one], [other]) !== undefined;
}

/** The first two patterns that overlap, for a message that names them. Adds its steps to `effort`. */
export function findOverlap(
  ones: readonly string[],
  others: readonly string[],
  effort: Effort = { steps: 0 },
): readonly [one: string, other: string] | undefined {
  const compiled = compileAll(others);
  for (const one of compileAll(ones))
    for (const other of compiled)
      if (one.text === other.text || overlap(one, other, effort)) return [one.text, other.text];
  return undefined;
}

/** The first file that a pattern covers. A file has the name that it has: `*` in it is a letter like any other. */
export function findCovered(
  files: readonly string[],
  patterns: readonly string[],
): string | undefined {
  const compiled = compileAll(patterns);
  const effort = { steps: 0 };
  const isCovered = (file: PathPattern): boolean =>
    effort.steps > FILES_STEPS_MAX || compiled.some((one) => overlap(file, one, effort));
  return filesOf(files).find(isCovered)?.text;
}

type PathPattern = {
  readonly text: string;
  /** The names on the way to the file, for each alternative. Undefined: there are too many alternatives. */
  readonly paths: readonly (readonly Name[])[] | undefined;
};

/** One name of a path. `**` stands for any number of names. */
type Name = {
  readonly text: string;
  readonly letters: readonly string[];
  /** It has no letter that stands for others. */
  readonly isPlain: boolean;
};

/** The scheduler compares the same lists at each decision. */
const compiledLists = new WeakMap<readonly string[], readonly PathPattern[]>();
const compiledFiles = new WeakMap<readonly string[], readonly PathPattern[]>();

function compileAll(patterns: readonly string[]): readonly PathPattern[] {
  const known = compiledLists.get(patterns);
  if (known !== undefined) return known;
  const compiled = patterns.map((text) => ({
    text,
    paths: expandBraces(text)?.map(toNames),
  }));
  compiledLists.set(patterns, compiled);
  return compiled;
}

function filesOf(files: readonly string[]): readonly PathPattern[] {
  const known = compiledFiles.get(files);
  if (known !== undefined) return known;
  const compiled = files.map((file) => ({ text: file, paths: [file.split('/').map(toFileName)] }));
  compiledFiles.set(files, compiled);
  return compiled;
}

/** No letter of it is equal to `*` or `?` of a pattern. */
function toFileName(text: string): Name {
  const letters = Array.from(text, (letter) => (/[*?]/.test(letter) ? `\\${letter}` : letter));
  return { text, letters, isPlain: true };
}

function overlap(one: PathPattern, other: PathPattern, effort: Effort): boolean {
  effort.steps += 1;
  const { paths } = other;
  if (one.paths === undefined || paths === undefined) return true;
  const stepsMax = effort.steps + PAIR_STEPS_MAX;
  return one.paths.some((a) =>
    paths.some((b) => !startApart(a, b) && foldersOverlap(a, b, effort, stepsMax)),
  );
}

/** Most pairs of patterns are in different folders, which is quick to see. */
function startApart(ones: readonly Name[], others: readonly Name[]): boolean {
  for (let at = 0; ; at += 1) {
    const [one, other] = [ones[at], others[at]];
    if (one?.isPlain !== true || other?.isPlain !== true) return false;
    if (one.text !== other.text) return true;
  }
}

/** `src/{a,b}.ts` as two patterns. Undefined if there are too many. */
function expandBraces(pattern: string): readonly string[] | undefined {
  let expanded: readonly string[] = [pattern];
  for (;;) {
    const at = expanded.findIndex((one) => INNERMOST_BRACES.test(one));
    if (at === -1) return expanded;
    const [whole = '', inside = ''] = INNERMOST_BRACES.exec(expanded[at] ?? '') ?? [];
    const variants = inside
      .split(',')
      .map((part) => (expanded[at] ?? '').replace(whole, () => part));
    expanded = [...expanded.slice(0, at), ...variants, ...expanded.slice(at + 1)];
    if (expanded.length > ALTERNATIVES_MAX) return undefined;
  }
}

const INNERMOST_BRACES = /\{([^{}]*)\}/;

/** A folder stands for everything below it. A plain name without a dot inside may be a folder. */
function toNames(pattern: string): readonly Name[] {
  const names = pattern.split('/').filter((name) => name !== '');
  const isFile = /[*?[]|.\../.test(names.at(-1) ?? '') && !pattern.endsWith('/');
  return (isFile ? names : [...names, '**']).map((text) => ({
    text,
    // Brackets allow any letter, and `**` inside a name is `*`.
    letters: Array.from(text.replaceAll(/\[!?[^\]]+\]/g, '?').replaceAll(/\*+/g, '*')),
    isPlain: !/[*?[]/.test(text),
  }));
}

/** From the last names to the first: `row[b]` says whether the rest of one matches the rest of the other from b on. */
function foldersOverlap(
  ones: readonly Name[],
  others: readonly Name[],
  effort: Effort,
  stepsMax: number,
): boolean {
  effort.steps += (ones.length + 1) * (others.length + 1);
  let row: readonly boolean[] = [];
  for (let a = ones.length; a >= 0; a -= 1) {
    if (effort.steps > stepsMax) return true;
    const one = ones[a];
    const next: boolean[] = [];
    for (let b = others.length; b >= 0; b -= 1) {
      const other = others[b];
      if (one === undefined && other === undefined) next[b] = true;
      else if (one !== undefined && isAnyNames(one))
        next[b] = row[b] === true || next[b + 1] === true;
      else if (other !== undefined && isAnyNames(other))
        next[b] = next[b + 1] === true || row[b] === true;
      else if (one === undefined || other === undefined) next[b] = false;
      else next[b] = row[b + 1] === true && namesOverlap(one, other, effort);
    }
    row = next;
  }
  return row[0] === true;
}

function isAnyNames({ text, isPlain }: Name): boolean {
  return text === '**' && !isPlain;
}

/** Letter by letter, with the same table. */
function namesOverlap(one: Name, other: Name, effort: Effort): boolean {
  if (one.isPlain && other.isPlain) return one.text === other.text;
  const [ones, others] = [one.letters, other.letters];
  const steps = (ones.length + 1) * (others.length + 1);
  effort.steps += steps;
  if (steps > PAIR_STEPS_MAX) return true;
  let row: readonly boolean[] = [];
  for (let a = ones.length; a >= 0; a -= 1) {
    const letter = ones[a];
    const next: boolean[] = [];
    for (let b = others.length; b >= 0; b -= 1) {
      const against = others[b];
      if (letter === undefined && against === undefined) next[b] = true;
      else if (letter === '*') next[b] = row[b] === true || next[b + 1] === true;
      else if (against === '*') next[b] = next[b + 1] === true || row[b] === true;
      else if (letter === undefined || against === undefined) next[b] = false;
      else {
        const isSame = letter === against || letter === '?' || against === '?';
        next[b] = isSame && row[b + 1] === true;
      }
    }
    row = next;
  }
  return row[0] === true;
}
