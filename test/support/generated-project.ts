/**
 * Generates projects of any size: files of different lengths that import one another, some by
 * alias. The same seed gives the same project.
 */

type Files = Record<string, string>;

const WORDS = 'order user price token ledger cache queue parse render retry limit stream'.split(
  ' ',
);

/** Our own small generator, so that a seed always means the same. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FOLDER_FILES = 25;

/** Each file imports up to four earlier ones. */
export function typescriptProject(count: number, seed = 1): Files {
  const below = numbers(seed);
  const files: Files = {
    'README.md': '# A generated project\n\nIts parts import one another.\n',
    'package.json': '{ "name": "generated", "imports": { "#area/*": "./src/*.ts" } }\n',
    'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } } // aliases\n',
  };
  for (let n = 0; n < count; n += 1) {
    const imports = Array.from({ length: Math.min(n, below(5)) }, (_, index) => {
      const other = typescriptPath(below(n))
        .replace(/^src\//, '')
        .replace(/\.ts$/, '');
      const written = [`@/${other}`, `#area/${other}`, `../${other}.ts`][below(3)] ?? '';
      return `import { value${index} as v${index} } from '${written}';`;
    });
    const functions = Array.from({ length: 1 + below(12) }, (_, index) => {
      const word = WORDS[below(WORDS.length)] ?? '';
      return [
        `/** What ${word} ${index} is worth after ${below(1000)} rounds. */`,
        `export function ${word}${index}(amount: number, rate = ${below(100) / 100}): number {`,
        `  if (amount < ${below(50)}) throw new RangeError('${word} is too small: ' + amount);`,
        `  return Math.round(amount * rate * ${below(9)}) + ${below(10_000)};`,
        '}',
      ].join('\n');
    });
    const value = `export const value${below(5)} = ${below(1_000_000)};`;
    files[typescriptPath(n)] = [...imports, '', value, '', ...functions, ''].join('\n');
  }
  return files;
}

export function pythonProject(count: number, seed = 1): Files {
  const below = numbers(seed);
  const files: Files = {
    'README.md': '# A generated project\n',
    'pyproject.toml': '[project]\nname = "generated"\n',
    'src/app/__init__.py': '',
  };
  for (let n = 0; n < count; n += 1) {
    const own = pythonName(n);
    files[`src/${own.slice(0, 2).join('/')}/__init__.py`] = '';
    const imports = Array.from({ length: Math.min(n, below(4)) }, () => {
      const other = pythonName(below(n));
      return below(2) === 0
        ? `from ${other.join('.')} import worth`
        : `from ..${other[1]} import ${other[2]}`;
    });
    const functions = Array.from({ length: 1 + below(10) }, (_, index) => {
      const word = WORDS[below(WORDS.length)] ?? '';
      return `def ${word}_${index}(amount: float, rate: float = ${below(100) / 100}) -> float:\n    """What ${word} is worth."""\n    if amount < ${below(50)}:\n        raise ValueError("${word} is too small")\n    return amount * rate + ${below(10_000)}\n`;
    });
    files[`src/${own.join('/')}.py`] = [
      ...imports,
      '',
      `worth = ${below(1000)}`,
      '',
      ...functions,
    ].join('\n');
  }
  return files;
}

function typescriptPath(n: number): string {
  return `src/area-${Math.floor(n / FOLDER_FILES)}/part-${n}.ts`;
}

function pythonName(n: number): readonly string[] {
  return ['app', `area_${Math.floor(n / FOLDER_FILES)}`, `part_${n}`];
}
