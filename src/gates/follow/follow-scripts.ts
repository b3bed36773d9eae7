/** Scripts in a language: which other files of the base belong to the same check, by what their text names. */
import { posix } from 'node:path';
import { hasNodeTests } from '../../test-reports/attach-runner.ts';
import type { Follow } from '../definition/gate-command.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { parentFolder, upwards } from './followed.ts';
import { followScriptOfPackage } from './follow-package.ts';

const ENDINGS = [
  '',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.cts',
  '.jsx',
  '.tsx',
  '.json',
  '.py',
  '/index.js',
  '/index.ts',
  '/index.mjs',
  '/__init__.py',
];
/** Where products are kept: what a check loads from there is what it checks. */
const PRODUCT = new Set(
  'src lib app source sources pkg packages cmd internal core server client web api dist build out bin'.split(
    ' ',
  ),
);
const CHECKS =
  /^(?:checks?|ci|\.ci|qa|verify|verification|scripts?|tools?|tooling|hack|devtools|lint|quality|acceptance|gates?)$/;
const CHECK_NAME =
  /(?:^|[-_.])(?:checks?|test|tests|spec|lint|verify|assert|asserts|harness|runner|reporter|setup|helpers?|fixtures?|testing|testutils?)(?:[-_.]|$)/i;

/** Whether it lies in a folder for checks and tools. */
export function isCheckFile(path: string): boolean {
  return parentFolder(path)
    .split('/')
    .some((step) => CHECKS.test(step));
}

/** Whether a path begins in a folder where products are kept. */
export function isProduct(path: string): boolean {
  return PRODUCT.has(posix.normalize(path).split('/')[0] ?? '');
}

/**
 * Whether a file that a check names is part of the check rather than of the checked work. It is, if
 * it lies beside or below the check in a separate folder, or in a folder for checks, or if its name
 * is that of a part of one.
 */
function isHelperOf(check: string, path: string): boolean {
  const folder = parentFolder(check);
  if (isCheckFile(path)) return true;
  if (CHECK_NAME.test(posix.basename(path).replace(/\.\w+$/, ''))) return true;
  const isOwnFolder = folder !== '' && !PRODUCT.has(posix.basename(folder));
  return isOwnFolder && path.startsWith(`${folder}/`);
}

/** Adds the files that the text of a check names and that are part of it, and follows them. */
export function followText(trail: Trail, path: string, text: string): void {
  const roots = [parentFolder(path), ''];
  for (const word of new Set([...literals(text), ...modules(text, path)]))
    for (const root of roots)
      for (const end of ENDINGS) {
        const found = posix.join(root, word) + end;
        if (found === path || !trail.base.has(found) || !isHelperOf(path, found)) continue;
        trail.scripts.add(found);
        const next = trail.text(found);
        if (next !== undefined && trail.markVisited(`text ${found}`))
          followText(trail, found, next);
      }
}

function literals(text: string): readonly string[] {
  return [...text.matchAll(/(['"`])([^'"`\n\\]{1,200})\1/g)]
    .map(([, , word = '']) => word)
    .filter((word) => /^[\w@./-]+$/.test(word) && /[./\w]/.test(word) && !word.startsWith('/'));
}

/** Modules of Python that a text imports, as paths without their ending. */
function modules(text: string, path: string): readonly string[] {
  if (!path.endsWith('.py') && !/^#!.*python/.test(text)) return [];
  const found: string[] = [];
  for (const [, dots = '', from = '', names = ''] of text.matchAll(
    /^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w, \t*]+)/gm,
  )) {
    const up = '../'.repeat(Math.max(0, dots.length - 1));
    const module = up + from.replaceAll('.', '/');
    found.push(
      module,
      ...names.split(',').map((name) => posix.join(module, name.trim().split(/\s/)[0] ?? '')),
    );
  }
  for (const [, names = ''] of text.matchAll(/^[ \t]*import[ \t]+([\w., \t]+)/gm))
    found.push(
      ...names.split(',').map((name) => (name.trim().split(/\s/)[0] ?? '').replaceAll('.', '/')),
    );
  return found.filter((word) => word !== '');
}

const LOADS =
  /^(?:--import|--require|-r|--loader|--experimental-loader|--env-file|--env-file-if-exists|--test-reporter|--test-global-setup|--experimental-config-file|--project|--tsconfig|--preload|--config|--import-map)$/;

/** Flags of node that load files before the script. */
export function followNodeOptions(
  trail: Trail,
  words: readonly string[],
  where: FollowPosition,
): void {
  for (const [index, word] of words.entries()) {
    const [flag = '', value] = word.split(/=(.*)/s);
    if (!LOADS.test(flag)) continue;
    for (const path of trail.paths(value ?? words[index + 1] ?? '', where)) addScript(trail, path);
  }
}

/** Of what is named to a runner of tests: the file itself, and a folder for checks with all that is in it. */
export function addNamedTests(trail: Trail, args: readonly string[], where: FollowPosition): void {
  for (const path of args.flatMap((arg) => trail.paths(arg.replace(/::.*$/s, ''), where))) {
    if (trail.base.has(path)) addScript(trail, path);
    else if (CHECKS.test(posix.basename(path)))
      for (const below of trail.base.keys())
        if (below.startsWith(`${path}/`)) trail.scripts.add(below);
  }
}

/** Files in a folder for checks belong to the check, though it only reads them: lists, expected results. */
export function addReadChecks(trail: Trail, args: readonly string[], where: FollowPosition): void {
  for (const path of args.flatMap((arg) => trail.paths(arg, where)))
    if (trail.base.has(path) && isCheckFile(path)) trail.scripts.add(path);
}

export function addScript(trail: Trail, path: string): void {
  for (const end of ENDINGS) {
    const found = path + end;
    trail.scripts.add(found);
    const text = trail.base.has(found) ? trail.text(found) : undefined;
    if (text !== undefined && trail.markVisited(`text ${found}`)) followText(trail, found, text);
  }
}

/** Flags with which an interpreter only says something about itself. */
export const ASKS_ABOUT = /^(?:-v|-V|-h|--version|--help)$/;

/** Code on a command line can load any file, and only a run would tell which. */
export function addInlineCode(trail: Trail, name: string): void {
  trail.addNotFollowed(`it gives ${name} code on its command line, which is not followed`);
}

export function addCodeFromInput(trail: Trail, name: string): void {
  trail.addNotFollowed(`it gives ${name} code on its standard input, which is not followed`);
}

/** `node --test a.test.js`, `node --run test`, `deno task check`, `tsx check.ts`. */
export function followNode(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
  follow: Follow,
): void {
  followNodeOptions(trail, args, where);
  const run = args.findIndex((arg) => arg === '--run' || arg.startsWith('--run='));
  if (run >= 0) {
    const script = args[run]?.split('=')[1] ?? args[run + 1] ?? '';
    for (const path of upwards(where.folders, 'package.json')) trail.packages.add(path);
    followScriptOfPackage(trail, script, where, follow);
  }
  if (name === 'deno' && args[0] === 'task') {
    trail.addNotFollowed('it starts a task of deno, which is not followed');
    return;
  }
  const inline = args.findIndex((arg) => /^(?:-e|-p|-pe|--eval|--print)$/.test(arg));
  // A number loads nothing; some use it to see whether what is loaded before it works.
  if (inline >= 0 && !/^\d*$/.test(args[inline + 1] ?? '')) addInlineCode(trail, name);
  if (args.some((arg) => /^--(?:eval|print)=/.test(arg)) || (name === 'deno' && args[0] === 'eval'))
    addInlineCode(trail, name);
  if (args.length === 0 || args.includes('-')) addCodeFromInput(trail, name);
  for (const path of args.flatMap((arg) => trail.paths(arg, where))) {
    addScript(trail, path);
    if (hasNodeTests(trail.text(path) ?? '')) trail.runners.add('node:test');
  }
}
