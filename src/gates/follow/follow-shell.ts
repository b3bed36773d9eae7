/** Scripts and lines of a shell: the commands that they hold are followed one by one. */
import type { Trail, FollowPosition } from './followed.ts';
import { parentFolder, movedTo, shownPath } from './followed.ts';
import type { Followers } from './follow-wrapped.ts';
import { readShell } from './shell-script.ts';
import { UNKNOWN } from './shell-values.ts';

export function followScript(
  trail: Trail,
  path: string,
  text: string,
  args: readonly string[],
  where: FollowPosition,
  by: Followers,
): void {
  followCommands(trail, readShell(text, { folder: parentFolder(path), args }), where, by);
}

/** A line as a shell reads it. */
export function followLine(trail: Trail, line: string, where: FollowPosition, by: Followers): void {
  if (line.trim() === UNKNOWN) {
    trail.leavesOpen('it starts a command that is computed when it runs');
    return;
  }
  if (!trail.enters(`line ${where.folders.join(':')} ${line}`)) return;
  followCommands(trail, readShell(line, { folder: where.folders[0] ?? '', args: [] }), where, by);
}

function followCommands(
  trail: Trail,
  { commands, functions }: ReturnType<typeof readShell>,
  where: FollowPosition,
  by: Followers,
): void {
  for (const name of functions) trail.functions.add(name);
  let at = where;
  for (const { sets, words } of commands) {
    for (const [name, values] of sets)
      for (const value of values) by.ofVariable(trail, name, value, at);
    if (words[0] === 'cd' || words[0] === 'pushd')
      at = movedTo(
        trail,
        at,
        words.slice(1).find((word) => !word.startsWith('-')),
      );
    else if (!(words[0] !== undefined && trail.functions.has(words[0])))
      by.follow(trail, words, at);
  }
}

export function followShell(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  by: Followers,
): void {
  const rest = args[0] === 'sh' ? args.slice(1) : args; // busybox sh
  const at = rest.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  if (at >= 0) {
    const line = rest[at + 1] ?? '';
    const given = { folder: where.folders[0] ?? '', args: rest.slice(at + 3) };
    followCommands(trail, readShell(line, given), where, by);
    return;
  }
  const index = rest.findIndex(
    (arg, i) => !/^[-+]/.test(arg) && !/^[-+]o$/.test(rest[i - 1] ?? ''),
  );
  const script = rest[index];
  if (script === undefined) {
    trail.leavesOpen('it gives a shell commands on its standard input, which are not followed');
    return;
  }
  const paths = trail.paths(script, where);
  if (paths.length === 0 && !script.startsWith('/'))
    trail.leavesOpen(`it runs ${shownPath(script)}, whose place is computed when it runs`);
  for (const path of paths) {
    trail.strict.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.enters(`file ${path} ${rest.slice(index + 1).join(' ')}`))
      followScript(trail, path, text, rest.slice(index + 1), where, by);
  }
}

export function followSourced(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  by: Followers,
): void {
  const [file = ''] = args.filter((arg) => !arg.startsWith('-'));
  if (file === '' || file.startsWith('/') || file.startsWith('~')) return;
  const paths = trail.paths(file, where);
  if (paths.length === 0)
    trail.leavesOpen(`it reads ${shownPath(file)}, whose place is computed when it runs`);
  for (const path of paths) {
    trail.strict.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.enters(`sourced ${path}`))
      followScript(trail, path, text, args.slice(1), where, by);
  }
}
