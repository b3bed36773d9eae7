/** Programs that only start another one: env and timeout, xargs and find, npx and its like. */
import { posix } from 'node:path';
import type { Trail, Where } from './followed.ts';
import { moved, upwards } from './followed.ts';
import type { FollowLine } from './follow-make.ts';
import { LANGUAGES, NODES, PYTHON, SHELLS, WRAPPER_VERBS } from './known-programs.ts';

/** How what they start is followed. */
export type Followers = {
  readonly follow: (trail: Trail, command: readonly string[], where: Where) => void;
  readonly followLine: FollowLine;
  readonly followFile: (trail: Trail, path: string, args: readonly string[], where: Where) => void;
  readonly ofVariable: (trail: Trail, name: string, value: string, where: Where) => void;
};

export function followWrapped(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: Where,
  by: Followers,
): void {
  const verbs = WRAPPER_VERBS[name];
  let at = where;
  let skip = 0;
  for (const [index, arg] of args.entries()) {
    if (skip > 0) {
      skip -= 1;
      continue;
    }
    const [, variable = '', value = ''] = /^(\w+)=(.*)$/s.exec(arg) ?? [];
    if (variable !== '') {
      by.ofVariable(trail, variable, value, at);
      continue;
    }
    if (/^(?:-C|--chdir|--directory|-D)$/.test(arg)) {
      at = moved(trail, at, args[index + 1]);
      skip = 1;
      continue;
    }
    const [, folder] = /^--(?:chdir|directory)=(.*)$/s.exec(arg) ?? [];
    if (folder !== undefined) at = moved(trail, at, folder);
    if (/^(?:-u|-S|-k|-s|-n|--signal|--kill-after|--unset)$/.test(arg) && name !== 'time') {
      if (arg === '-S') by.followLine(trail, args.slice(index + 1).join(' '), at);
      skip = arg === '-S' ? args.length : 1;
      continue;
    }
    if (/^-|^[\d.]+[smhd]?$/.test(arg) || verbs?.has(arg) === true) continue;
    if (verbs !== undefined && !args.slice(0, index).some((one) => verbs.has(one))) {
      if (name === 'poetry' || name === 'bundle' || name === 'uv') return; // `poetry check`, say
    }
    by.follow(trail, args.slice(index), at);
    return;
  }
}

export function followXargs(
  trail: Trail,
  args: readonly string[],
  where: Where,
  by: Followers,
): void {
  const takesValue = /^-[IEdaLnPs]$/;
  const at = args.findIndex(
    (arg, i) => !arg.startsWith('-') && !takesValue.test(args[i - 1] ?? ''),
  );
  if (at < 0) return;
  const [program = '', ...rest] = args.slice(at);
  if (startsFiles(program) && rest.every((arg) => arg.startsWith('-') || arg === '{}'))
    trail.leavesOpen(`it runs ${program} on files that xargs names when it runs`);
  else by.follow(trail, [program, ...rest], where);
}

function startsFiles(program: string): boolean {
  const name = posix.basename(program);
  return (
    program === '{}' ||
    SHELLS.has(name) ||
    NODES.has(name) ||
    LANGUAGES.has(name) ||
    PYTHON.test(name)
  );
}

export function followFind(
  trail: Trail,
  args: readonly string[],
  where: Where,
  by: Followers,
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
            by.followFile(trail, path, [], where);
      } else
        by.follow(
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
  where: Where,
  by: Followers,
): void {
  const at = args.findIndex(
    (arg, i) => !arg.startsWith('-') && !/^(?:-p|--package|-c|--call)$/.test(args[i - 1] ?? ''),
  );
  const call = args.findIndex((arg) => arg === '-c' || arg === '--call');
  for (const path of upwards(where.folders, 'package.json')) trail.packages.add(path);
  if (call >= 0) by.followLine(trail, args[call + 1] ?? '', where);
  else if (at >= 0) by.follow(trail, [nameOfPackage(args[at] ?? ''), ...args.slice(at + 1)], where);
}

/** `@biomejs/biome@1.9` is started as `biome`. */
function nameOfPackage(word: string): string {
  return word.startsWith('.') ? word : posix.basename(word.replace(/(.)@[^@/]*$/, '$1'));
}
