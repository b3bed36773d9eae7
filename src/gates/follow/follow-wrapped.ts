/** Programs that only start another one: env and timeout, xargs and find, npx and its like. */
import { posix } from 'node:path';
import type { Trail, FollowPosition } from './followed.ts';
import { movedTo, upwards } from './followed.ts';
import type { FollowLine } from './follow-make.ts';
import { followDeclared } from './follow-declared.ts';
import { addScript } from './follow-scripts.ts';
import {
  LANGUAGES,
  NODE_PROGRAMS,
  PYTHON_PROGRAMS,
  SHELLS,
  WRAPPER_VERBS,
} from '../definition/known-programs.ts';

/** How what they start is followed. */
export type Followers = {
  readonly follow: (trail: Trail, command: readonly string[], where: FollowPosition) => void;
  readonly followLine: FollowLine;
  readonly followFile: (
    trail: Trail,
    path: string,
    args: readonly string[],
    where: FollowPosition,
  ) => void;
  readonly followVariable: (
    trail: Trail,
    name: string,
    value: string,
    where: FollowPosition,
  ) => void;
  /** Lines like `NAME=value` in a file of the tree. */
  readonly followVariables: (trail: Trail, path: string, where: FollowPosition) => void;
};

/** Flags that take the word behind them, by wrapper. A flag that is in no list is taken for one alone. */
const TAKES_VALUE: Readonly<Record<string, RegExp>> = {
  env: /^(?:-u|--unset)$/,
  timeout: /^(?:-s|-k|--signal|--kill-after)$/,
  gtimeout: /^(?:-s|-k|--signal|--kill-after)$/,
  nice: /^(?:-n|--adjustment)$/,
  ionice: /^-[cnpt]$/,
  stdbuf: /^-[ioe]$/,
  'xvfb-run':
    /^(?:-[snefwp]|--(?:server-args|server-num|error-file|auth-file|wait|xauth-protocol))$/,
  sudo: /^-[ughpUrtCT]$/,
  c8: /^(?:-[rnxoc]|--(?:require|include|exclude|reports?-dir|reporter|temp-directory|branches|lines|functions|statements|config|src|extension))$/,
  nyc: /^(?:-[rnxceit]|--(?:require|include|exclude|report-dir|reporter|temp-dir|branches|lines|functions|statements|cwd|nycrc-path|extension))$/,
  poetry: /^(?:-P|--project)$/,
  uv: /^(?:-p|--(?:python|with|with-editable|with-requirements|group|extra|only-group|package|project|env-file|index|from|no-group|config-file|cache-dir))$/,
  hatch: /^(?:-[ep]|--(?:env|project|data-dir|config))$/,
  pipenv: /^(?:--python|--pypi-mirror)$/,
  pdm: /^(?:-[pc]|--(?:project|config|venv))$/,
  mise: /^(?:-[EjC]|--(?:env|jobs|tool))$/,
  dotenv: /^(?:-[epvf]|--file)$/,
  'env-cmd': /^(?:-[fer]|--(?:file|environments|rc-file))$/,
  time: /^-[of]$/,
};
/** Of those: what is behind them is a file of variables. */
const VARIABLES_FLAG = /^(?:-e|-f|--file|--env-file)$/;
/** Of those: what is behind them is loaded first. */
const LOADS_FLAG = /^(?:-r|--require)$/;
/** Words that come before the program: a time, a folder. */
const WORDS_BEFORE: Readonly<Record<string, number>> = { faketime: 1, direnv: 1 };
const NUMBER = /^[\d.]*\d[\d.,:x-]*[smhd]?$/;
/** Verbs of package managers that start nothing of the project but what their manifests say. */
const OWN_VERBS = new Set(
  'install sync lock check show export list update add remove config cache version info tree pip outdated env venv self trust settings use local global enable prepare'.split(
    ' ',
  ),
);

export function followWrapped(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  const verbs = WRAPPER_VERBS[name];
  let at = where;
  let skip = 0;
  let before = WORDS_BEFORE[name] ?? 0;
  let verb: string | undefined;
  if (name === 'direnv' || name === 'dotenv' || name === 'env-cmd')
    for (const file of ['.envrc', '.env', '.env-cmdrc', '.env-cmdrc.json', '.env-cmdrc.js'])
      for (const path of upwards(where.folders, file))
        followers.followVariables(trail, path, where);
  for (const [index, arg] of args.entries()) {
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    const [, variable = '', value = ''] = /^(\w+)=(.*)$/s.exec(arg) ?? [];
    if (variable !== '') {
      followers.followVariable(trail, variable, value, at);
      continue;
    }
    const [flag = '', joined] = arg.startsWith('--') ? arg.split(/=(.*)/s) : [arg];
    const given = joined ?? args[index + 1] ?? '';
    if (/^(?:-C|--chdir|--directory|-D|--cwd)$/.test(flag) && name !== 'sudo') {
      at = movedTo(trail, at, given);
      skip = joined === undefined ? 1 : 0;
      continue;
    }
    if (name === 'env' && arg === '-S') {
      followers.followLine(trail, args.slice(index + 1).join(' '), at);
      return;
    }
    if (name === 'script' && /^(?:-\w*c|--command)$/.test(flag)) {
      followers.followLine(trail, given, at);
      return;
    }
    if (Object.hasOwn(TAKES_VALUE, name) && TAKES_VALUE[name]?.test(flag) === true) {
      if (LOADS_FLAG.test(flag) && /^(?:c8|nyc)$/.test(name))
        for (const path of trail.paths(given, at)) addScript(trail, path);
      if (VARIABLES_FLAG.test(flag) && /^(?:dotenv|env-cmd|uv)$/.test(name))
        for (const path of trail.paths(given, at)) followers.followVariables(trail, path, at);
      skip = joined === undefined ? 1 : 0;
      continue;
    }
    if (arg.startsWith('-')) continue;
    if (verb === undefined && verbs?.has(arg) === true) {
      verb = arg;
      continue;
    }
    if (verbs !== undefined && verb === undefined) {
      // `poetry check`, say
      if (!OWN_VERBS.has(arg)) trail.addUnknownProgram(`${name} ${arg}`);
      return;
    }
    if (before > 0) {
      before -= 1;
      continue;
    }
    if (NUMBER.test(arg)) continue;
    if (arg.includes(' ')) followers.followLine(trail, args.slice(index).join(' '), at);
    else if (!followDeclared(trail, name, verb ?? '', args.slice(index), at, followers))
      followers.follow(trail, args.slice(index), at);
    return;
  }
  if (verb !== undefined) followDeclared(trail, name, verb, [], at, followers);
}

export function followXargs(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  const takesValue = /^-[IEdaLnPs]$/;
  const at = args.findIndex(
    (arg, i) => !arg.startsWith('-') && !takesValue.test(args[i - 1] ?? ''),
  );
  for (const [index, arg] of args.entries()) {
    const [, joined] = /^(?:-a|--arg-file=)(.*)$/s.exec(arg) ?? [];
    if (joined === undefined) continue;
    for (const path of trail.paths(joined === '' ? (args[index + 1] ?? '') : joined, where))
      trail.strict.add(path);
  }
  if (at < 0) return;
  const [program = '', ...rest] = args.slice(at);
  if (startsFiles(program) && rest.every((arg) => arg.startsWith('-') || arg === '{}'))
    trail.addNotFollowed(`it runs ${program} on files that xargs names when it runs`);
  else followers.follow(trail, [program, ...rest], where);
}

function startsFiles(program: string): boolean {
  const name = posix.basename(program);
  return (
    program === '{}' ||
    SHELLS.has(name) ||
    NODE_PROGRAMS.has(name) ||
    LANGUAGES.has(name) ||
    PYTHON_PROGRAMS.test(name)
  );
}

export function followFind(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  for (const [index, arg] of args.entries())
    if (/^-(?:exec|execdir|ok|okdir)$/.test(arg)) {
      const rest = args.slice(index + 1);
      const end = rest.findIndex((one) => one === ';' || one === '+');
      const words = rest.slice(0, end < 0 ? undefined : end);
      if (startsFiles(words[0] ?? '')) {
        const folders = args.slice(0, index).flatMap((word) => trail.paths(word, where));
        for (const path of trail.base.keys())
          if (folders.some((folder) => folder === '' || path.startsWith(`${folder}/`)))
            followers.followFile(trail, path, [], where);
      } else
        followers.follow(
          trail,
          words.filter((word) => word !== '{}'),
          where,
        );
    }
}

/** `npx jest`, `bunx eslint .`. */
export function followStarted(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  const at = args.findIndex(
    (arg, i) => !arg.startsWith('-') && !/^(?:-p|--package|-c|--call)$/.test(args[i - 1] ?? ''),
  );
  const call = args.findIndex((arg) => arg === '-c' || arg === '--call');
  for (const path of upwards(where.folders, 'package.json')) trail.packages.add(path);
  if (call >= 0) followers.followLine(trail, args[call + 1] ?? '', where);
  else if (at >= 0)
    followers.follow(trail, [nameOfPackage(args[at] ?? ''), ...args.slice(at + 1)], where);
}

/** `@biomejs/biome@1.9` is started as `biome`. */
function nameOfPackage(word: string): string {
  return word.startsWith('.') ? word : posix.basename(word.replace(/(.)@[^@/]*$/, '$1'));
}
