/** Runners of tasks besides make: their files decide, and the lines in them are followed as far as they can be read. */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import type { Trail, Where } from './followed.ts';
import { folderOf, moved, upwards } from './followed.ts';
import type { FollowLine } from './follow-make.ts';
import { TASK_FILES } from './known-programs.ts';
import { UNKNOWN } from './shell-values.ts';

const FOLDER_FLAG = /^(?:-d|--dir|--working-directory|-C|--workdir|--root|-r|--rootdir|--cwd)$/;
const FILE_FLAG =
  /^(?:-f|--justfile|--taskfile|-t|--rakefile|-c|--conf|--noxfile|--gulpfile|--gruntfile)$/;
/** Whose files are programs: what they start can't be read. */
const PROGRAMS = new Set(['rake', 'nox', 'inv', 'invoke', 'doit', 'mage', 'gulp', 'grunt', 'jake']);

export function followTasks(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: Where,
  followLine: FollowLine,
): void {
  let at = where;
  const files: string[] = [];
  for (const [index, arg] of args.entries()) {
    const [flag = '', value] = arg.split(/=(.*)/s);
    if (name !== 'cargo' && FOLDER_FLAG.test(flag)) at = moved(trail, at, value ?? args[index + 1]);
    if (name !== 'cargo' && FILE_FLAG.test(flag)) files.push(value ?? args[index + 1] ?? '');
  }
  const paths = [
    ...files.flatMap((file) => trail.paths(file, at)),
    ...(TASK_FILES[name] ?? []).flatMap((file) => upwards(at.folders, file)),
  ];
  for (const path of paths) readTasks(trail, name, path, at, followLine);
  if (PROGRAMS.has(name))
    trail.leavesOpen(`it starts tasks of ${name}, which are a program and are not followed`);
}

function readTasks(
  trail: Trail,
  name: string,
  path: string,
  where: Where,
  followLine: FollowLine,
): void {
  trail.strict.add(path);
  const text = trail.base.has(path) ? trail.text(path) : undefined;
  if (text === undefined || !trail.enters(`tasks ${path}`)) return;
  const there = { ...where, folders: [folderOf(path)] };
  const lines =
    name === 'just' ? justLines(text) : name === 'task' ? taskLines(text) : toxLines(text);
  for (const line of name === 'cargo' ? cargoAliases(text) : lines)
    followLine(trail, line.replaceAll(/\{\{.*?\}\}|\{[\w:.]+\}/g, UNKNOWN), there);
  for (const other of included(name, text)) {
    const found = posix.join(folderOf(path), other);
    for (const file of [
      found,
      `${found}.just`,
      `${found}/mod.just`,
      `${found}/Taskfile.yml`,
      `${found}/Taskfile.yaml`,
    ])
      readTasks(trail, name, file, where, followLine);
  }
}

function justLines(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /^[ \t]+\S/.test(line))
    .map((line) => line.trim().replace(/^[@-]+/, ''))
    .filter((line) => !line.startsWith('#'));
}

function taskLines(text: string): readonly string[] {
  return text
    .split('\n')
    .flatMap(
      (line) =>
        /^\s*-\s+(?:cmd:\s*)?(.*)$/.exec(line)?.[1] ?? /^\s*cmds?:\s+(\S.*)$/.exec(line)?.[1] ?? [],
    )
    .map((line) => line.trim().replace(/^(['"])(.*)\1$/s, '$2'))
    .filter(
      (line) =>
        line !== '' && !/^(?:task|defer|sh|ref|for|vars):/.test(line) && !/^[[|>]/.test(line),
    );
}

function toxLines(text: string): readonly string[] {
  const lines: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const [, first] =
      /^(?:commands|commands_pre|commands_post|allowlist_externals)\s*=\s*(.*)$/.exec(line) ?? [];
    if (first !== undefined) {
      isOpen = !line.startsWith('allowlist');
      if (isOpen && first !== '') lines.push(first);
    } else if (isOpen && /^\s+\S/.test(line)) lines.push(line.trim().replace(/^[-!]\s*/, ''));
    else if (/^\S/.test(line)) isOpen = false;
  }
  return lines;
}

/** An alias can be any command of cargo, and a runner any program. */
function cargoAliases(text: string): readonly string[] {
  return [
    ...text.matchAll(/^\s*(?:runner|rustc-wrapper|rustc|linker)\s*=\s*["'[]+([^"'\]]+)/gm),
  ].map(([, line = '']) => line);
}

function included(name: string, text: string): readonly string[] {
  if (name === 'just')
    return [
      ...text.matchAll(
        /^\s*(?:import\??\s+['"]([^'"]+)['"]|mod\??\s+(\w+)(?:\s+['"]([^'"]+)['"])?)/gm,
      ),
    ].map(([, file, module, at]) => file ?? at ?? module ?? '');
  if (name !== 'task') return [];
  const [, block = ''] = /^includes:\s*\n((?:[ \t]+.*\n?)*)/m.exec(text) ?? [];
  return [...block.matchAll(/(?:taskfile:\s*|^\s+[\w-]+:\s*)['"]?([./\w-]+)['"]?\s*$/gm)].map(
    ([, file = '']) => file,
  );
}

/** Scripts of composer.json, as `composer test` would start them. */
export function composerLines(text: string, script: string): readonly string[] {
  const found = parseJson(text);
  const scripts = isRecord(found) && isRecord(found['scripts']) ? found['scripts'] : {};
  return [scripts[script] ?? []].flat().filter((line) => typeof line === 'string');
}
