/** Manifests of which only a part runs by itself: scripts and hooks do, dependencies do not. */
import { foldName } from './path-rules.ts';

function nameOf(path: string): string {
  return foldName(path.split(/[/\\]/).at(-1) ?? '');
}

/** Whether only a part of such a file runs by itself. */
export function hasExecutingPart(path: string): boolean {
  return PARTS.has(nameOf(path));
}

/** What of a manifest runs by itself, as one text to be compared; undefined when it can't be read. */
export function executingPart(path: string, text: string): string | undefined {
  return PARTS.get(nameOf(path))?.(text);
}

/** Of package.json: what a package manager, git or an editor starts, or decides about it. */
const PACKAGE_KEYS = [
  'scripts',
  'config',
  'husky',
  'lint-staged',
  'simple-git-hooks',
  'gitHooks',
  'pre-commit',
  'pre-push',
  'commit-msg',
  'packageManager',
  'devEngines',
  'pnpm',
  'trustedDependencies',
  'allowScripts',
  'gypfile',
  'wireit',
  'volta',
];

/** A Map, because a file may be called `__proto__` or `constructor`. */
const PARTS: ReadonlyMap<string, (text: string) => string | undefined> = new Map([
  ['package.json', (text: string) => jsonPart(text, PACKAGE_KEYS)],
  ['composer.json', (text: string) => jsonPart(text, ['scripts', 'config'])],
  ['deno.json', (text: string) => jsonPart(text, ['tasks', 'lint', 'imports', 'importMap'])],
  ['deno.jsonc', (text: string) => text],
  [
    'pyproject.toml',
    (text: string) =>
      tomlSections(
        text,
        /^\s*\[+\s*(?:build-system|tool\s*\.\s*(?:hatch|pdm|poetry\s*\.\s*(?:build|scripts)|poe|taskipy|setuptools|uv|cibuildwheel))/,
      ),
  ],
  [
    'cargo.toml',
    (text: string) =>
      text
        .split('\n')
        .filter((line) => /^\s*(?:build|links|default-run)\s*=|^\s*\[+\s*patch/.test(line))
        .join('\n'),
  ],
]);

function jsonPart(text: string, keys: readonly string[]): string | undefined {
  try {
    const found: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof found !== 'object' || found === null) return undefined;
    const record = found as Readonly<Record<string, unknown>>;
    return JSON.stringify(keys.map((key) => (Object.hasOwn(record, key) ? record[key] : null)));
  } catch {
    return undefined; // broken JSON: the caller takes the whole file
  }
}

function tomlSections(text: string, wanted: RegExp): string {
  return text
    .split(/^(?=\s*\[)/m)
    .filter((section) => wanted.test(section))
    .map((section) => section.trim())
    .join('\n');
}
