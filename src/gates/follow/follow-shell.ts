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
  followers: Followers,
): void {
  followCommands(trail, readShell(text, { folder: parentFolder(path), args }), where, followers);
}

/** A line as a shell reads it. */
export function followLine(
  trail: Trail,
  line: string,
  where: FollowPosition,
  followers: Followers,
): void {
  if (line.trim() === UNKNOWN) {
    trail.addNotFollowed('it starts a command that is computed when it runs');
    return;
  }
  if (!trail.markVisited(`line ${where.folders.join(':')} ${line}`)) return;
  followCommands(
    trail,
    readShell(line, { folder: where.folders[0] ?? '', args: [] }),
    where,
    followers,
  );
}

function followCommands(
  trail: Trail,
  { commands, functions }: ReturnType<typeof readShell>,
  where: FollowPosition,
  followers: Followers,
): void {
  for (const name of functions) trail.functions.add(name);
  let at = where;
  for (const { sets, words } of commands) {
    for (const [name, values] of sets)
      for (const value of values) followers.followVariable(trail, name, value, at);
    if (words[0] === 'cd' || words[0] === 'pushd')
      at = movedTo(
        trail,
        at,
        words.slice(1).find((word) => !word.startsWith('-')),
      );
    else if (!(words[0] !== undefined && trail.functions.has(words[0])))
      followers.follow(trail, words, at);
  }
}

export function followShell(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  const rest = args[0] === 'sh' ? args.slice(1) : args; // busybox sh
  const at = rest.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  if (at >= 0) {
    const line = rest[at + 1] ?? '';
    const given = { folder: where.folders[0] ?? '', args: rest.slice(at + 3) };
    followCommands(trail, readShell(line, given), where, followers);
    return;
  }
  const index = rest.findIndex(
    (arg, i) => !/^[-+]/.test(arg) && !/^[-+]o$/.test(rest[i - 1] ?? ''),
  );
  const script = rest[index];
  if (script === undefined) {
    trail.addNotFollowed('it gives a shell commands on its standard input, which are not followed');
    return;
  }
  const paths = trail.paths(script, where);
  if (paths.length === 0 && !script.startsWith('/'))
    trail.addNotFollowed(`it runs ${shownPath(script)}, whose place is computed when it runs`);
  for (const path of paths) {
    trail.strict.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.markVisited(`file ${path} ${rest.slice(index + 1).join(' ')}`))
      followScript(trail, path, text, rest.slice(index + 1), where, followers);
  }
}

export function followSourced(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  followers: Followers,
): void {
  const [file = ''] = args.filter((arg) => !arg.startsWith('-'));
  if (file === '' || file.startsWith('/') || file.startsWith('~')) return;
  const paths = trail.paths(file, where);
  if (paths.length === 0)
    trail.addNotFollowed(`it reads ${shownPath(file)}, whose place is computed when it runs`);
  for (const path of paths) {
    trail.strict.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.markVisited(`sourced ${path}`))
      followScript(trail, path, text, args.slice(1), where, followers);
  }
}
