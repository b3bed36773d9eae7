import { basename, dirname, join } from 'node:path/posix';
import { isRecord, parseJson } from '../../base/json.ts';
import type { ProjectView } from '../project-view.ts';
import {
  JAVASCRIPT,
  javascriptImports,
  loadJavaScript,
  parseLooseJson,
} from './javascript-imports.ts';
import { C } from './c.ts';
import { GO } from './go.ts';
import { loadGrammar } from './grammar.ts';
import { JAVA } from './java.ts';
import { PYTHON, pythonImports } from './python.ts';
import { NO_ALIASES, resolveJavaScript } from './resolve-javascript.ts';
import type { Aliases, LocalPackage } from './resolve-javascript.ts';
import type { PythonImport } from './python.ts';
import { RUBY } from './ruby.ts';
import { RUST } from './rust.ts';
import { SourceFiles } from './source-language.ts';
import type { SourceLanguage } from './source-language.ts';

const CONFIGS = ['tsconfig.json', 'jsconfig.json'];
const PYTHON_PROJECTS = new Set(['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt']);
const EXTENDS_MAX = 10;
const LANGUAGES: readonly SourceLanguage[] = [C, GO, JAVA, RUBY, RUST];
const SCRIPT = /<script\b[^>]*>(.*?)<\/script>/gis;

/** Finds the files of a project that its files import. Files outside the project are ignored. */
export class ImportResolver {
  readonly #view: ProjectView;
  readonly #has: (path: string) => boolean;
  readonly #aliases = new Map<string, Promise<Aliases>>();
  readonly #pythonProjects: readonly string[];
  #files: SourceFiles | undefined;
  #packages: Promise<ReadonlyMap<string, LocalPackage>> | undefined;

  constructor(view: ProjectView) {
    this.#view = view;
    const paths = new Set(view.paths);
    this.#has = (path) => paths.has(path);
    const projects = view.paths.filter((path) => PYTHON_PROJECTS.has(basename(path)));
    this.#pythonProjects = [...new Set(['.', ...projects.map((path) => dirname(path))])];
  }

  /** Each file once, in the order of the imports. Empty for an unknown language. */
  async findImports(path: string): Promise<readonly string[]> {
    const seen = await this.#view.read(path, { named: true });
    if (seen.kind !== 'text') return [];
    const language = LANGUAGES.find(({ files }) => files.test(path));
    const found =
      language !== undefined
        ? await this.#source(language, path, seen.text)
        : PYTHON.test(path)
          ? await this.#python(path, seen.text)
          : await this.#javascript(path, seen.text);
    return [...new Set(found)].filter((one) => one !== path);
  }

  async #source(
    { grammar, find }: SourceLanguage,
    path: string,
    text: string,
  ): Promise<readonly string[]> {
    using tree = (await loadGrammar(grammar)).parse(text);
    // The tree is gone after this.
    return await find(tree.root, path, (this.#files ??= new SourceFiles(this.#view)));
  }

  async #python(path: string, text: string): Promise<readonly string[]> {
    const roots = pythonRoots(path, this.#pythonProjects, this.#has);
    return pythonImports(await loadGrammar('python'), text).flatMap((one) =>
      resolvePython(one, path, roots, this.#has),
    );
  }

  async #javascript(path: string, text: string): Promise<readonly string[]> {
    const isPage = /\.(?:vue|svelte)$/.test(path);
    if (!isPage && !JAVASCRIPT.test(path)) return [];
    const source = isPage ? [...text.matchAll(SCRIPT)].map(([, one]) => one).join('\n') : text;
    const parse = await loadJavaScript();
    const specifiers = javascriptImports(parse, isPage ? 'page.ts' : path, source);
    if (specifiers.length === 0) return [];
    const packages = await (this.#packages ??= this.#readPackages());
    const files = {
      has: this.#has,
      aliases: await this.#aliasesFor(dirname(path)),
      packages,
      own: ownPackage(path, packages),
    };
    return specifiers
      .map((specifier) => resolveJavaScript(specifier, path, files))
      .filter((one) => one !== undefined);
  }

  async #readPackages(): Promise<ReadonlyMap<string, LocalPackage>> {
    const manifests = this.#view.paths.filter((path) => basename(path) === 'package.json');
    const read = await Promise.all(
      manifests.map(async (path): Promise<[string, LocalPackage]> => {
        const seen = await this.#view.read(path, { named: true });
        const value = seen.kind === 'text' ? parseJson(seen.text) : undefined;
        const manifest = isRecord(value) ? value : {};
        const name = typeof manifest['name'] === 'string' ? manifest['name'] : `./${path}`;
        return [name, { folder: dirname(path), manifest }];
      }),
    );
    return new Map(read);
  }

  /** The path mappings of the nearest configuration above the folder. */
  #aliasesFor(folder: string): Promise<Aliases> {
    let known = this.#aliases.get(folder);
    if (known === undefined) {
      const config = CONFIGS.map((name) => join(folder, name)).find(this.#has);
      known =
        config !== undefined
          ? this.#readAliases(config, EXTENDS_MAX)
          : folder === '.'
            ? Promise.resolve(NO_ALIASES)
            : this.#aliasesFor(dirname(folder));
      this.#aliases.set(folder, known);
    }
    return known;
  }

  async #readAliases(config: string, extendsLeft: number): Promise<Aliases> {
    const seen = await this.#view.read(config, { named: true });
    const value = seen.kind === 'text' ? parseLooseJson(await loadJavaScript(), seen.text) : {};
    if (!isRecord(value)) return NO_ALIASES;
    const folder = dirname(config);
    let inherited = NO_ALIASES;
    for (const parent of [value['extends']].flat()) {
      if (typeof parent !== 'string' || !parent.startsWith('.') || extendsLeft === 0) continue;
      const path = [parent, `${parent}.json`].map((one) => join(folder, one)).find(this.#has);
      if (path === undefined) continue;
      const above = await this.#readAliases(path, extendsLeft - 1);
      inherited = {
        paths: above.paths.length > 0 ? above.paths : inherited.paths,
        baseUrl: above.baseUrl ?? inherited.baseUrl,
      };
    }
    return { ...inherited, ...ownAliases(value['compilerOptions'], folder, inherited.baseUrl) };
  }
}

function ownAliases(
  options: unknown,
  folder: string,
  inheritedBase: string | undefined,
): Partial<Aliases> {
  if (!isRecord(options)) return {};
  const baseUrl =
    typeof options['baseUrl'] === 'string' ? join(folder, options['baseUrl']) : undefined;
  const base = baseUrl ?? inheritedBase ?? folder;
  const { paths } = options;
  const entries = isRecord(paths) ? Object.entries(paths) : undefined;
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(entries !== undefined && {
      paths: entries.map(
        ([pattern, targets]) =>
          [
            pattern,
            [targets]
              .flat()
              .filter((one) => typeof one === 'string')
              .map((one) => join(base, one)),
          ] as const,
      ),
    }),
  };
}

/** The nearest package above the file. */
function ownPackage(
  path: string,
  packages: ReadonlyMap<string, LocalPackage>,
): LocalPackage | undefined {
  const above = [...packages.values()].filter(
    ({ folder }) => folder === '.' || path.startsWith(`${folder}/`),
  );
  return above.toSorted((a, b) => b.folder.length - a.folder.length)[0];
}

/**
 * The files of the project that an import reads: the module, and those of its names that are
 * modules themselves. Absolute imports are resolved from `roots`.
 */
function resolvePython(
  { level, module, names }: PythonImport,
  from: string,
  roots: readonly string[],
  has: (path: string) => boolean,
): readonly string[] {
  const starts =
    level === 0 ? roots : [join(dirname(from), ...Array.from({ length: level - 1 }, () => '..'))];
  for (const start of starts) {
    if (start.startsWith('..')) continue;
    const base = join(start, ...module);
    const parts = names.map((name) => moduleFile(join(base, name), has));
    const found = [moduleFile(base, has), ...parts].filter((one) => one !== undefined);
    if (found.length > 0) return found;
  }
  return [];
}

function moduleFile(path: string, has: (path: string) => boolean): string | undefined {
  const inside = path === '.' ? '' : `${path}/`;
  const candidates = [`${path}.py`, `${path}.pyi`, `${inside}__init__.py`, `${inside}__init__.pyi`];
  return candidates.find(has);
}

/** The folders from which absolute imports of this file are resolved: above its outermost package, and the usual ones. */
function pythonRoots(
  from: string,
  projects: readonly string[],
  has: (path: string) => boolean,
): readonly string[] {
  let top = dirname(from);
  while (top !== '.' && has(`${top}/__init__.py`)) top = dirname(top);
  const usual = projects.flatMap((folder) =>
    ['.', 'src', 'lib', 'python'].map((one) => join(folder, one)),
  );
  return [...new Set([top, dirname(from), ...usual])];
}
