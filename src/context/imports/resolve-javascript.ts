/** Resolves an import specifier to a file of the project, if there is one. */
import { dirname, join, normalize } from 'node:path/posix';
import { isRecord } from '../../base/json.ts';

export type Aliases = {
  /** Patterns with at most one star, and their replacements, relative to the project. */
  readonly paths: readonly (readonly [pattern: string, targets: readonly string[]])[];
  /** Folders from which names that are not relative are resolved. */
  readonly baseUrl: string | undefined;
};

export const NO_ALIASES: Aliases = { paths: [], baseUrl: undefined };

/** A package inside the project: its folder and its package.json. */
export type LocalPackage = { readonly folder: string; readonly manifest: Record<string, unknown> };

export type JavaScriptFiles = {
  readonly has: (path: string) => boolean;
  readonly aliases: Aliases;
  /** By name. */
  readonly packages: ReadonlyMap<string, LocalPackage>;
  /** The package that the importing file belongs to, for `#names`. */
  readonly own: LocalPackage | undefined;
};

const ENDINGS = [
  'ts',
  'tsx',
  'mts',
  'cts',
  'd.ts',
  'js',
  'jsx',
  'mjs',
  'cjs',
  'json',
  'vue',
  'svelte',
];
/** The source extensions for an import that names the compiled output. */
const SOURCES_OF: Readonly<Record<string, readonly string[]>> = {
  js: ['ts', 'tsx', 'd.ts'],
  jsx: ['tsx'],
  mjs: ['mts', 'd.mts'],
  cjs: ['cts', 'd.cts'],
};

export function resolveJavaScript(
  specifier: string,
  from: string,
  files: JavaScriptFiles,
): string | undefined {
  if (/^\.{1,2}(?:\/|$)/.test(specifier)) return fileAt(join(dirname(from), specifier), files.has);
  if (specifier.startsWith('#')) return ownImport(specifier, files);
  for (const target of aliased(specifier, files.aliases)) {
    const found = fileAt(target, files.has);
    if (found !== undefined) return found;
  }
  if (files.aliases.baseUrl !== undefined) {
    const found = fileAt(join(files.aliases.baseUrl, specifier), files.has);
    if (found !== undefined) return found;
  }
  return packageFile(specifier, files);
}

/** The longest matching pattern wins, as in TypeScript. */
function aliased(specifier: string, { paths }: Aliases): readonly string[] {
  let best: { readonly length: number; readonly targets: readonly string[] } | undefined;
  for (const [pattern, targets] of paths) {
    const filled = matchStar(pattern, specifier);
    if (filled === undefined) continue;
    const length = pattern.includes('*') ? pattern.indexOf('*') : Number.POSITIVE_INFINITY;
    if (best === undefined || length > best.length)
      best = { length, targets: targets.map((target) => target.replace('*', () => filled)) };
  }
  return best?.targets ?? [];
}

/** The text that the star matches; empty for a matching pattern without a star. */
function matchStar(pattern: string, name: string): string | undefined {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return pattern === name ? '' : undefined;
  const fits =
    name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
  return fits ? name.slice(before.length, name.length - after.length) : undefined;
}

function ownImport(specifier: string, { own, has }: JavaScriptFiles): string | undefined {
  const imports = own?.manifest['imports'];
  return own === undefined || !isRecord(imports)
    ? undefined
    : mapped(imports, specifier, own.folder, has);
}

function packageFile(specifier: string, { packages, has }: JavaScriptFiles): string | undefined {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
  const found = packages.get(name);
  if (found === undefined) return undefined;
  const { folder, manifest } = found;
  const rest = specifier.slice(name.length + 1);
  const { exports } = manifest;
  const conditional = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  const table = conditional ? exports : { '.': exports };
  const key = rest === '' ? '.' : `./${rest}`;
  const main = [manifest['source'], manifest['types'], manifest['main']].filter(
    (one) => typeof one === 'string',
  );
  const guesses = rest === '' ? [...main, 'src/index', 'index'] : [rest, `src/${rest}`];
  return (
    mapped(table, key, folder, has) ??
    guesses.map((guess) => fileAt(join(folder, guess), has)).find((one) => one !== undefined)
  );
}

/** Resolves an entry of `imports` or `exports` to the first condition that is a file of the project. */
function mapped(
  table: Readonly<Record<string, unknown>>,
  name: string,
  folder: string,
  has: (path: string) => boolean,
): string | undefined {
  for (const [pattern, target] of Object.entries(table)) {
    const filled = matchStar(pattern, name);
    if (filled === undefined) continue;
    for (const written of listTargets(target)) {
      const found = fileAt(
        join(
          folder,
          written.replace('*', () => filled),
        ),
        has,
      );
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function listTargets(target: unknown): readonly string[] {
  if (typeof target === 'string') return [target];
  if (Array.isArray(target)) return target.flatMap(listTargets);
  return isRecord(target) ? Object.values(target).flatMap(listTargets) : [];
}

function fileAt(written: string, has: (path: string) => boolean): string | undefined {
  const path = normalize(written).replace(/\/$/, '');
  if (path.startsWith('..')) return undefined;
  const [, stem = '', ending = ''] = /^(.*)\.(\w+)$/.exec(path) ?? [];
  const candidates = [
    path,
    ...(SOURCES_OF[ending] ?? []).map((source) => `${stem}.${source}`),
    ...ENDINGS.map((one) => `${path}.${one}`),
    ...ENDINGS.map((one) => (path === '.' ? `index.${one}` : `${path}/index.${one}`)),
  ];
  return candidates.find(has);
}
