/**
 * Pairs of patches on one project, each made from a seed: some fit together, some change the same lines, and some merge
 * without a conflict and are wrong together. Only the gate of the project can see the last ones.
 *
 * The files are in a language of two words: `define NAME VALUE`, and `use NAME VALUE`. A project is sound if each used
 * name is defined exactly once, with that value.
 */
import { randomInt, randomItem, seededRandom } from '../../src/base/random.ts';
import type { Random } from '../../src/base/random.ts';

export type Tree = Readonly<Record<string, string>>;
/** By path. Null: the file is deleted. */
export type Patch = Readonly<Record<string, string | null>>;

/** What must happen to the second patch after the first one has landed. */
type PairKind = 'clean' | 'conflict' | 'broken';

export type Pair = {
  readonly seed: number;
  readonly kind: PairKind;
  readonly what: string;
  readonly base: Tree;
  readonly first: Patch;
  readonly second: Patch;
  /** How often the component of the second patch delivers the same work again, whatever it is told. */
  readonly stubborn: number;
};

export const PAIRS = 200;

const LINES = 24;
const OTHERS = ['one.txt', 'two.txt', 'sub/three.txt'] as const;

/** The gate of every project: a program that knows the two words. It also accepts an empty project. */
export const CHECK = `import { readdirSync, readFileSync, statSync } from 'node:fs';
const defined = new Map();
const used = [];
function read(folder) {
  for (const name of readdirSync(folder)) {
    const path = folder + '/' + name;
    if (name === '.git') continue;
    if (statSync(path).isDirectory()) read(path);
    else if (path.endsWith('.txt'))
      for (const line of readFileSync(path, 'utf8').split('\\n')) {
        const [word, key, value] = line.split(' ');
        if (word === 'define') defined.set(key, [...(defined.get(key) ?? []), value]);
        if (word === 'use') used.push([key, value]);
      }
  }
}
read('.');
for (const [key, values] of defined)
  if (values.length > 1) throw new Error(key + ' is defined ' + values.length + ' times');
for (const [key, value] of used)
  if (defined.get(key)?.[0] !== value) throw new Error(key + ' is not ' + value);
`;

/** The same judgement in plain code, so that a bug of the gate does not hide a broken project. */
export function isSound(tree: Tree): boolean {
  const lines = Object.entries(tree)
    .filter(([path]) => path.endsWith('.txt'))
    .flatMap(([, text]) => text.split('\n'))
    .map((line) => line.split(' '));
  const definitions = lines.filter(([word]) => word === 'define');
  const names = new Set(definitions.map(([, name]) => name));
  if (names.size < definitions.length) return false;
  return lines
    .filter(([word]) => word === 'use')
    .every(([, name, value]) =>
      definitions.some(([, known, its]) => known === name && its === value),
    );
}

export function applyPatch(tree: Tree, patch: Patch): Tree {
  const files = new Map<string, string | null>([...Object.entries(tree), ...Object.entries(patch)]);
  return Object.fromEntries(
    [...files].flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])),
  );
}

type Drawn = Pick<Pair, 'what' | 'first' | 'second'>;
type Draw = (base: Tree, random: Random) => Drawn;

function replaceLine(text: string, line: number, by: string): string {
  return text
    .split('\n')
    .map((old, nth) => (nth === line ? by : old))
    .join('\n');
}

function insertBefore(text: string, line: number, added: string): string {
  const lines = text.split('\n');
  return [...lines.slice(0, line), added, ...lines.slice(line)].join('\n');
}

/** Comments hold no definition, so that they can be changed freely. */
function commentLine(random: Random): number {
  return 2 * randomInt(random, 0, LINES / 2 - 1);
}

function main(base: Tree): string {
  return base['main.txt'] ?? '';
}

const CLEAN: readonly [Draw, ...Draw[]] = [
  (_, random) => ({
    what: 'files of their own',
    first: { 'a/new.txt': `define a ${randomInt(random, 1, 9)}\n` },
    second: { 'b/new.txt': `define b ${randomInt(random, 1, 9)}\n` },
  }),
  (base, random) => {
    const line = 2 * randomInt(random, 0, 3);
    const far = line + 2 * randomInt(random, 3, 8);
    return {
      what: `lines ${line} and ${far} of one file`,
      first: { 'main.txt': replaceLine(main(base), line, '# first') },
      second: { 'main.txt': replaceLine(main(base), far, '# second') },
    };
  },
  (_, random) => {
    const file = randomItem(random, OTHERS);
    return {
      what: `the same change of ${file} beside an own one`,
      first: { [file]: '# the same\n', 'a.txt': 'define a 1\n' },
      second: { [file]: '# the same\n', 'b.txt': 'define b 1\n' },
    };
  },
  (_, random) => ({
    what: 'a deleted file beside a changed one',
    first: { [randomItem(random, ['one.txt', 'two.txt'])]: null },
    second: { 'sub/three.txt': '# changed\n' },
  }),
  (base, random) => {
    const line = 1 + 2 * randomInt(random, 0, LINES / 2 - 1);
    const name = main(base).split('\n')[line]?.split(' ')[1] ?? '';
    return {
      what: `a new use of ${name} beside a new definition`,
      first: { 'main.txt': `${main(base)}define more 1\n` },
      second: { 'user.txt': `use ${name} 1\n` },
    };
  },
];

const CONFLICT: readonly [Draw, ...Draw[]] = [
  (base, random) => {
    const line = commentLine(random);
    return {
      what: `line ${line} of one file`,
      first: { 'main.txt': replaceLine(main(base), line, '# first') },
      second: { 'main.txt': replaceLine(main(base), line, '# second') },
    };
  },
  (base, random) => {
    const line = commentLine(random);
    return {
      what: `two insertions before line ${line}`,
      first: { 'main.txt': insertBefore(main(base), line, 'define first 1') },
      second: { 'main.txt': insertBefore(main(base), line, 'define second 1') },
    };
  },
  (_, random) => {
    const file = randomItem(random, OTHERS);
    const [first, second] = random() < 0.5 ? [null, '# changed\n'] : ['# changed\n', null];
    return {
      what: `${file} deleted and changed`,
      first: { [file]: first },
      second: { [file]: second },
    };
  },
  () => ({
    what: 'two new files of one name',
    first: { 'new.txt': 'define first 1\n' },
    second: { 'new.txt': 'define second 1\n' },
  }),
  () => ({
    what: 'a file where the other has a folder',
    first: { 'place/inside.txt': '# a\n' },
    second: { place: '# b\n' },
  }),
];

const BROKEN: readonly [Draw, ...Draw[]] = [
  (base, random) => {
    const line = 1 + 2 * randomInt(random, 0, LINES / 2 - 1);
    const name = main(base).split('\n')[line]?.split(' ')[1] ?? '';
    return {
      what: `${name} renamed, and used in a new file`,
      first: { 'main.txt': replaceLine(main(base), line, `define renamed 1`) },
      second: { 'user.txt': `use ${name} 1\n` },
    };
  },
  (base, random) => {
    const line = 1 + 2 * randomInt(random, 0, LINES / 2 - 1);
    const name = main(base).split('\n')[line]?.split(' ')[1] ?? '';
    const value = randomInt(random, 2, 9);
    return {
      what: `the value of ${name} changed to ${value}, and used as it was`,
      first: { 'main.txt': replaceLine(main(base), line, `define ${name} ${value}`) },
      second: { 'deep/er/user.txt': `use ${name} 1\n` },
    };
  },
  () => ({
    what: 'one name defined in two files',
    first: { 'a.txt': 'define both 1\n' },
    second: { 'b.txt': 'define both 1\n' },
  }),
  (base, random) => {
    const line = 1 + 2 * randomInt(random, 0, 4);
    const name = main(base).split('\n')[line]?.split(' ')[1] ?? '';
    return {
      what: `${name} deleted, and used far below in the same file`,
      first: { 'main.txt': replaceLine(main(base), line, '# gone') },
      second: { 'main.txt': `${main(base)}use ${name} 1\n` },
    };
  },
];

const DRAWS = { clean: CLEAN, conflict: CONFLICT, broken: BROKEN } as const;
const KINDS = ['clean', 'conflict', 'broken'] as const;

export function pairOf(seed: number): Pair {
  const random = seededRandom(seed);
  const kind = KINDS[seed % KINDS.length] ?? 'clean';
  const definitions = Array.from({ length: LINES / 2 }, (_, nth) => [
    `# about ${nth}`,
    `define name-${nth}-${randomInt(random, 10, 99)} 1`,
  ]);
  const base: Tree = {
    'main.txt': `${definitions.flat().join('\n')}\n`,
    'one.txt': '# one\n',
    'two.txt': '# two\n',
    'sub/three.txt': '# three\n',
    'check.mjs': CHECK,
  };
  const draws = DRAWS[kind];
  const draw = draws[Math.floor(seed / KINDS.length) % draws.length] ?? draws[0];
  const stubborn = kind === 'clean' ? 0 : randomItem(random, [0, 0, 1, 3]);
  return { seed, kind, base, stubborn, ...draw(base, random) };
}
