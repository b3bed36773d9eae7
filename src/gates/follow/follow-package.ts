/** What npm and its like start: scripts of a package.json, with those that run before and after them. */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import type { Follow } from '../definition/gate-command.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { parentFolder, movedTo, upwards } from './followed.ts';
import type { FollowLine } from './follow-make.ts';

type Followers = { readonly follow: Follow; readonly followLine: FollowLine };

const PACKAGES_MAX = 200;
const FOLDER_FLAG = /^(?:--prefix|-C|--dir|--cwd)$/;
const VALUE_FLAG =
  /^(?:-w|--workspace|--filter|-F|--script-shell|--userconfig|--globalconfig|--loglevel|--reporter|--node-options|-p|--package)$/;
const MANY =
  /^(?:-w|--workspace|--workspaces|-ws|--filter|-F|-r|--recursive|workspaces|workspace|foreach|recursive)(?:=|$)/;
const EXECS = new Set(['exec', 'x', 'dlx']);
/** Verbs that start no script and no program of the project. */
const OWN_VERBS = new Set(
  'ci install i add remove audit outdated ls list config pack view why prune dedupe version help info'.split(
    ' ',
  ),
);
const INSTALLS = new Set(
  'ci install i add clean-install install-clean ic install-test it rebuild'.split(' '),
);
/** Scripts that an installation starts, each with those before and after it. */
const LIFECYCLE = ['install', 'prepublish', 'prepare', 'dependencies'];
const SHORT: Readonly<Record<string, string>> = { t: 'test', tst: 'test' };

export function followPackage(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  let at = where;
  let isMany = false;
  const words: string[] = [];
  let rest: readonly string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '--') {
      rest = args.slice(index + 1);
      break;
    }
    const [, folder] = /^(?:--prefix|--dir|--cwd)=(.*)$/s.exec(arg) ?? [];
    if (FOLDER_FLAG.test(arg) || folder !== undefined)
      at = movedTo(trail, at, folder ?? args[index + 1]);
    if (MANY.test(arg)) isMany = true;
    if (FOLDER_FLAG.test(arg) || VALUE_FLAG.test(arg)) index += 1;
    else if (arg.startsWith('--script-shell=')) trail.addNotFollowed('it gives npm another shell');
    else if (!arg.startsWith('-') && !MANY.test(arg)) words.push(arg);
  }
  for (const path of upwards(at.folders, 'package.json')) trail.packages.add(path);
  const [verb = '', ...more] = words;
  const isRun = verb === 'run' || verb === 'run-script' || verb === 'rum' || verb === 'urn';
  if (EXECS.has(verb)) {
    followers.follow(trail, [...more, ...rest], at);
    return;
  }
  if (INSTALLS.has(verb) || (name === 'yarn' && verb === ''))
    for (const one of LIFECYCLE) followInAll(trail, one, at, followers);
  const script = isRun ? (more[0] ?? '') : (SHORT[verb] ?? verb);
  for (const word of [...more, ...rest])
    for (const path of trail.paths(word, at)) trail.named.add(path);
  const isFound = isMany
    ? followInAll(trail, script, at, followers)
    : followScriptOfPackage(trail, script, at, followers.follow, followers.followLine);
  // `yarn jest` and `bun test` start a program where there is no such script.
  if (!isFound && !isRun && name !== 'npm' && !OWN_VERBS.has(verb) && verb !== 'test')
    followers.follow(trail, [...words, ...rest], at);
  if (name === 'bun')
    for (const word of words) for (const path of trail.paths(word, at)) trail.scripts.add(path);
}

/** Follows a script of the nearest package; false where it has none of that name. */
export function followScriptOfPackage(
  trail: Trail,
  script: string,
  where: FollowPosition,
  follow: Follow,
  followLine: FollowLine = (one, line, there) => follow(one, ['sh', '-c', line], there),
): boolean {
  let isFound = false;
  for (const folder of where.folders) {
    const path = upwards([folder], 'package.json').findLast((one) => trail.base.has(one));
    if (path !== undefined && followScript(trail, path, script, where, followLine)) isFound = true;
  }
  return isFound;
}

function followInAll(
  trail: Trail,
  script: string,
  where: FollowPosition,
  { followLine }: Followers,
): boolean {
  let isFound = false;
  const paths = [...trail.base.keys()].filter(
    (path) => posix.basename(path) === 'package.json' && !path.includes('node_modules/'),
  );
  for (const path of paths.slice(0, PACKAGES_MAX)) {
    trail.packages.add(path);
    if (followScript(trail, path, script, where, followLine)) isFound = true;
  }
  return isFound;
}

function followScript(
  trail: Trail,
  path: string,
  script: string,
  where: FollowPosition,
  followLine: FollowLine,
): boolean {
  trail.packages.add(path);
  const found = parseJson(trail.text(path) ?? '');
  const scripts = isRecord(found) && isRecord(found['scripts']) ? found['scripts'] : {};
  const pattern = new RegExp(`^${script.replaceAll(/[^\w*:-]/g, '.').replaceAll('*', '.*')}$`);
  let isFound = false;
  for (const [name, line] of Object.entries(scripts)) {
    const plain = name.replace(/^(?:pre|post)/, '');
    if (typeof line !== 'string' || !(pattern.test(name) || pattern.test(plain))) continue;
    isFound ||= pattern.test(name);
    if (trail.markVisited(`script ${path} ${name}`))
      followLine(trail, line, { ...where, folders: [parentFolder(path)] });
  }
  return isFound;
}

/** `run-s lint test:*`, `concurrently "npm:lint"`, `turbo run test`. */
export function followScriptRunner(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  for (const path of upwards(where.folders, 'package.json')) trail.packages.add(path);
  const words = args.filter((arg) => !arg.startsWith('-') && arg !== 'run' && arg !== 'run-many');
  for (const word of words) {
    const script = word.replace(/^(?:npm|pnpm|yarn|bun|node):/, '').replace(/\s.*$/s, '');
    if (name === 'concurrently' && script === word) followers.followLine(trail, word, where);
    else if (/^(?:turbo|lerna|wsrun|ultra|nx)$/.test(name))
      followInAll(trail, script, where, followers);
    else followScriptOfPackage(trail, script, where, followers.follow, followers.followLine);
  }
  if (name === 'nx') trail.addNotFollowed('it starts nx, whose targets are not followed');
}
