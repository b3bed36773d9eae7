/** Manifests of which only a part decides how the work is judged; the rest, such as its version, is the work. */
import { isRecord, parseJson } from '../../base/json.ts';
import { isSameToml, isTomlManifest } from './toml-parts.ts';

const PACKAGE_FILE = /(?:^|\/)package\.json$/;
const MANIFEST =
  /(?:^|\/)(?:package\.json|pyproject\.toml|Cargo\.toml|Pipfile|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|composer\.json|mix\.exs|build\.sbt|Package\.swift|Directory\.Packages\.props|[\w.-]+\.prisma|[\w.-]+\.(?:cs|fs|vb)proj)$/;
/** Of `package.json`: what decides how it is checked. */
const PACKAGE_KEYS = [
  'name',
  'type',
  'scripts',
  'config',
  'wireit',
  'jest',
  'vitest',
  'mocha',
  'ava',
  'tap',
  'c8',
  'nyc',
  'babel',
  'browserslist',
  'eslintConfig',
  'eslintIgnore',
  'xo',
  'standard',
  'stylelint',
  'prettier',
  'workspaces',
  'packageManager',
  'volta',
  'nx',
  'tsd',
  'size-limit',
  'lint-staged',
  'stryker',
  'ts-node',
  'swc',
  'tsup',
  'overrides',
  'resolutions',
  'pnpm',
  'publishConfig',
];
/** Each leads from a name to a file: an entry of the base stays as long as its file is there. */
const PACKAGE_MAPS = ['imports', 'exports', 'browser', 'bin'];
/** The same, where each is one file. */
const PACKAGE_FILES = ['main', 'module', 'types', 'typings', 'exports', 'browser', 'bin'];

export function isManifest(path: string): boolean {
  return MANIFEST.test(path);
}

export function isPackageFile(path: string): boolean {
  return PACKAGE_FILE.test(path);
}

/**
 * The work's own file with the deciding part as it was; undefined when that part is the same. A manifest
 * that is not JSON is not taken apart: where the deciding part differs, the whole file is as it was.
 */
export function restoreManifest(
  path: string,
  was: string | undefined,
  is: string,
  isThere: (path: string) => boolean = () => true,
): string | undefined {
  if (isPackageFile(path)) return restorePackage(path, was, is, isThere);
  const isSame = isTomlManifest(path)
    ? isSameToml(path, was ?? '', is)
    : decidingPart(path, was ?? '') === decidingPart(path, is);
  return isSame ? undefined : (was ?? '');
}

function restorePackage(
  path: string,
  was: string | undefined,
  is: string,
  isThere: (path: string) => boolean,
): string | undefined {
  const [before, after] = [parseJson(was ?? '{}'), parseJson(is)];
  if (!isRecord(after) || !isRecord(before)) return was === is ? undefined : (was ?? '{}');
  const restored: Record<string, unknown> = { ...after };
  for (const key of PACKAGE_KEYS) {
    if (was === undefined && key !== 'scripts' && key !== 'config' && key !== 'jest') continue;
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) continue;
    if (before[key] === undefined) delete restored[key];
    else restored[key] = before[key];
  }
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  for (const key of PACKAGE_MAPS)
    if (isRecord(before[key]) && isRecord(after[key]))
      restored[key] = mergeMap(before[key], after[key], (file) =>
        isThere(folder + file.replace(/^\.\//, '')),
      );
  for (const key of PACKAGE_FILES) {
    const file = before[key];
    if (typeof file !== 'string' || file === after[key]) continue;
    if (isThere(folder + file.replace(/^\.\//, ''))) restored[key] = file;
  }
  return JSON.stringify(restored) === JSON.stringify(after)
    ? undefined
    : `${JSON.stringify(restored, null, 2)}\n`;
}

function mergeMap(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  isThere: (file: string) => boolean,
): Readonly<Record<string, unknown>> {
  const merged: Record<string, unknown> = { ...after };
  for (const [name, target] of Object.entries(before)) {
    const files = JSON.stringify(target).match(/"\.\/[^"*]+"/g) ?? [];
    if (files.every((file) => isThere(file.slice(1, -1)))) merged[name] = target;
  }
  return merged;
}

const CONCERNED: readonly (readonly [manifest: RegExp, files: RegExp])[] = [
  [/^(?:pyproject\.toml|Pipfile)$/, /\.pyi?$/],
  [/^Cargo\.toml$/, /\.rs$/],
  [/^go\.mod$/, /\.go$/],
  [/^(?:pom\.xml|build\.gradle(?:\.kts)?|build\.sbt)$/, /\.(?:java|kt|kts|scala|groovy)$/],
  [/^composer\.json$/, /\.php$/],
  [/^mix\.exs$/, /\.exs?$/],
  [/^Package\.swift$/, /\.swift$/],
  [/(?:proj|\.props)$/, /\.(?:cs|fs|vb)$/],
  [/\.prisma$/, /\.prisma$/],
];

/** The files that a manifest decides about: the first manifest of a project that has none is the work. */
export function decidedFiles(path: string): RegExp {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return CONCERNED.find(([manifest]) => manifest.test(name))?.[1] ?? /./;
}

/**
 * What of it decides, as a text to compare. Dependencies do not, unless they lead into the tree. The text is an agent's, of
 * several megabytes if it likes, so each expression takes a time that is proportional to it.
 */
function decidingPart(path: string, text: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'go.mod')
    return lines(text, /^\s*(?:replace|exclude|tool|toolchain|godebug|ignore)\b|=>/);
  if (name === 'pom.xml')
    return withoutDependencies(text)
      .replaceAll(/<(version|description|name|url)>[^<]*<\/\1>/g, '')
      .replaceAll(/\s+/g, '');
  if (/gradle/.test(name))
    return tidy(
      text
        .replaceAll(
          /^[ \t]*(?:\w*[iI]mplementation|\w*[aA]pi|\w*CompileOnly|\w*RuntimeOnly)\b[ (]+["'][^"'/]*["'].*$/gm,
          '',
        )
        .replaceAll(/^[ \t]*version(?:[ \t]*=)?[ \t]*["'][^"'\n]*["'][ \t]*$/gm, ''),
    );
  if (name === 'composer.json') {
    const found = parseJson(text);
    const of = isRecord(found) ? found : {};
    return JSON.stringify([of['scripts'], of['config'], of['autoload-dev'], of['repositories']]);
  }
  // A generator can be any program.
  if (name.endsWith('.prisma')) return generators(text);
  if (name.endsWith('proj') || name.endsWith('.props'))
    return text
      .replaceAll(/<(?:PackageReference|PackageVersion)\b[^<>]*\/>/g, '')
      .replaceAll(/<Version>[^<]*<\/Version>/g, '')
      .replaceAll(/\s+/g, '');
  return tidy(
    text.replaceAll(
      /^[ \t]*(?:ThisBuild[ \t]*\/[ \t]*)?@?version\b(?:[ \t]*(?::=?|=))?[ \t]*["'][^"'\n]*["'],?[ \t]*$/gm,
      '',
    ),
  );
}

/** Those with a path of the system lead out of the repository of Maven. */
function withoutDependencies(text: string): string {
  const [begin, end] = ['<dependency>', '</dependency>'];
  let kept = '';
  let [from, keptFrom, close, path] = [0, 0, 0, 0];
  for (;;) {
    const at = text.indexOf(begin, from);
    if (at === -1) break;
    const inside = at + begin.length;
    // Each is searched again only behind the place where it was found.
    if (close < inside) close = text.indexOf(end, inside);
    if (close === -1) break;
    if (path !== -1 && path < inside) path = text.indexOf('<systemPath>', inside);
    from = inside;
    if (path !== -1 && path < close) continue;
    kept += text.slice(keptFrom, at);
    from = close + end.length;
    keptFrom = from;
  }
  return kept + text.slice(keptFrom);
}

/** The blocks of a schema of Prisma that begin with `generator`. */
function generators(text: string): string {
  const found: string[] = [];
  let end = -1;
  for (const { index } of text.matchAll(/^[ \t]*generator\b/gm)) {
    if (index < end) continue;
    end = text.indexOf('}', index);
    if (end === -1) break;
    found.push(text.slice(index, end + 1).trimStart());
  }
  return found.join('\n');
}

/** Lines stay lines: joined ones could hide a setting behind the comment above it. */
function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function lines(text: string, pattern: RegExp): string {
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) => line.trim())
    .join('\n');
}
