/** Scripts by name that a manifest declares: of pipenv, pdm, rye, hatch and mise. */
import { posix } from 'node:path';
import { isRecord } from '../../base/json.ts';
import type { TomlTable } from '../../toml/read-toml.ts';
import { parseToml, tableAt } from '../../toml/read-toml.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { upwards } from './followed.ts';
import type { Followers } from './follow-wrapped.ts';

type Source = {
  readonly files: readonly string[];
  /** The tables in which a script may stand. */
  readonly tables: (file: TomlTable) => readonly TomlTable[];
  /** Folders in which a file of that name is a script. */
  readonly folders?: readonly string[];
};

const HATCH = (file: TomlTable): readonly TomlTable[] =>
  [tableAt(file, 'tool', 'hatch', 'envs'), tableAt(file, 'envs')].flatMap((envs) =>
    Object.keys(envs).map((env) => tableAt(envs, env, 'scripts')),
  );

/** A Map, because a program may be called like a property of every object. */
const SOURCES: ReadonlyMap<string, Source> = new Map([
  ['pipenv', { files: ['Pipfile'], tables: (file: TomlTable) => [tableAt(file, 'scripts')] }],
  [
    'pdm',
    {
      files: ['pyproject.toml'],
      tables: (file: TomlTable) => [tableAt(file, 'tool', 'pdm', 'scripts')],
    },
  ],
  [
    'rye',
    {
      files: ['pyproject.toml'],
      tables: (file: TomlTable) => [tableAt(file, 'tool', 'rye', 'scripts')],
    },
  ],
  ['hatch', { files: ['pyproject.toml', 'hatch.toml'], tables: HATCH }],
  ...['mise', 'rtx'].map((name): [string, Source] => [
    name,
    {
      files: [
        'mise.toml',
        '.mise.toml',
        'mise.local.toml',
        '.config/mise/config.toml',
        '.rtx.toml',
      ],
      tables: (file: TomlTable) => [tableAt(file, 'tasks')],
      folders: ['mise-tasks', '.mise-tasks', 'mise/tasks', '.mise/tasks', '.config/mise/tasks'],
    },
  ]),
]);

/** Follows a script that a manifest of the base declares; false where none does. */
export function followDeclared(
  trail: Trail,
  name: string,
  verb: string,
  words: readonly string[],
  where: FollowPosition,
  followers: Followers,
): boolean {
  const source = SOURCES.get(name);
  if (source === undefined || !/^(?:run|test)$/.test(verb)) return false;
  if (name === 'hatch' && verb === 'test') {
    followNamed(trail, source, 'run', where, followers);
    followers.follow(trail, ['pytest', ...words], where);
    return true;
  }
  const [word = '', ...rest] = words;
  for (const arg of rest) for (const path of trail.paths(arg, where)) trail.named.add(path);
  return followNamed(
    trail,
    source,
    name === 'hatch' ? word.replace(/^.*:/s, '') : word,
    where,
    followers,
  );
}

function followNamed(
  trail: Trail,
  source: Source,
  script: string,
  where: FollowPosition,
  followers: Followers,
): boolean {
  let isFound = false;
  for (const path of source.files.flatMap((file) => upwards(where.folders, file))) {
    if (!trail.base.has(path)) continue;
    const text = trail.text(path);
    if (text === undefined) isFound = true; // it is yet to be read
    const table = text === undefined ? {} : parseToml(text);
    if (table === undefined)
      trail.addNotFollowed(`${path} declares its scripts, and it can't be read`);
    else
      for (const scripts of source.tables(table))
        for (const one of [script, `pre_${script}`, `post_${script}`])
          if (Object.hasOwn(scripts, one)) {
            isFound = true;
            if (trail.markVisited(`declared ${path} ${one}`))
              followValue(trail, source, scripts[one], one, where, followers);
          }
  }
  for (const folder of source.folders ?? [])
    for (const path of upwards(where.folders, posix.join(folder, script.replaceAll(':', '/'))))
      if (trail.base.has(path)) {
        isFound = true;
        followers.followFile(trail, path, [], where);
      }
  return isFound;
}

/** A line, a list of lines or names, or a table that says which of those it is. */
function followValue(
  trail: Trail,
  source: Source,
  value: unknown,
  self: string,
  where: FollowPosition,
  followers: Followers,
): void {
  if (typeof value === 'string') {
    const [first = ''] = value.trim().split(/\s+/);
    // `pytest = "pytest -q"` starts the program, not itself.
    const isName = first !== self && followNamed(trail, source, first, where, followers);
    if (!isName) followers.followLine(trail, value, where);
    return;
  }
  if (Array.isArray(value)) {
    for (const one of value) followValue(trail, source, one, self, where, followers);
    return;
  }
  if (!isRecord(value)) return;
  const { cmd, call, file } = value;
  if (Array.isArray(cmd)) followers.follow(trail, cmd.map(String), where);
  if (typeof call === 'string')
    followers.follow(trail, ['python3', '-m', call.replace(/:.*$/s, '')], where);
  if (typeof file === 'string')
    for (const path of trail.paths(file, where)) followers.followFile(trail, path, [], where);
  for (const part of [typeof cmd === 'string' ? cmd : [], value['shell'], value['run']])
    followValue(trail, source, part, self, where, followers);
  for (const key of ['composite', 'chain', 'depends', 'depends_post', 'wait_for', 'task'])
    followValue(trail, source, value[key], self, where, followers);
}
