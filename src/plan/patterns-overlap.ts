/**
 * Whether one path can match both patterns. The answer is exact for `*`, `**`, `?` and `{a,b}`. Where a pattern allows
 * more than that, the answer is yes: two components then take turns, which is slower and never wrong.
 */

const ALTERNATIVES_MAX = 64;

export function patternsOverlap(one: string, other: string): boolean {
  return findOverlap([one], [other]) !== undefined;
}

/** The first two patterns that overlap, for a message that names them. */
export function findOverlap(
  ones: readonly string[],
  others: readonly string[],
): readonly [one: string, other: string] | undefined {
  const compiled = compileAll(others);
  for (const one of compileAll(ones))
    for (const other of compiled) if (overlap(one, other)) return [one.text, other.text];
  return undefined;
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
  readonly isPlain: boolean;
};

/** The scheduler compares the same lists at each decision. */
const compiledLists = new WeakMap<readonly string[], readonly PathPattern[]>();

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

function overlap(one: PathPattern, other: PathPattern): boolean {
  if (one.text === other.text) return true;
  if (one.paths === undefined || other.paths === undefined) return true;
  const { paths } = other;
  return one.paths.some((a) => paths.some((b) => !startApart(a, b) && foldersOverlap(a, b)));
}

/** Most pairs of patterns are in different folders, which is quick to see. */
function startApart([one]: readonly Name[], [other]: readonly Name[]): boolean {
  if (one === undefined || other === undefined) return false;
  return one.isPlain && other.isPlain && one.text !== other.text;
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
function foldersOverlap(ones: readonly Name[], others: readonly Name[]): boolean {
  let row: readonly boolean[] = [];
  for (let a = ones.length; a >= 0; a -= 1) {
    const one = ones[a];
    const next: boolean[] = [];
    for (let b = others.length; b >= 0; b -= 1) {
      const other = others[b];
      if (one === undefined && other === undefined) next[b] = true;
      else if (one?.text === '**') next[b] = row[b] === true || next[b + 1] === true;
      else if (other?.text === '**') next[b] = next[b + 1] === true || row[b] === true;
      else if (one === undefined || other === undefined) next[b] = false;
      else next[b] = row[b + 1] === true && namesOverlap(one, other);
    }
    row = next;
  }
  return row[0] === true;
}

/** Letter by letter, with the same table. */
function namesOverlap(one: Name, other: Name): boolean {
  if (one.isPlain && other.isPlain) return one.text === other.text;
  const [ones, others] = [one.letters, other.letters];
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
