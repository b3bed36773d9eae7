/**
 * Which files of a project decide what a command does, read from the base without running anything: the
 * program itself, the script of an interpreter, the tasks of make or npm, and what those start in turn.
 */
import { posix } from 'node:path';
import type { Tree } from '../workspace/tree.ts';
import type { Followed, Where } from './followed.ts';
import { folderOf, moved, shown, Trail, upwards } from './followed.ts';
import { followMake } from './follow-make.ts';
import {
  addNamedTests,
  ASKS_ABOUT,
  followNode,
  followText,
  ofNodeOptions,
  readsInput,
  runsInline,
} from './follow-scripts.ts';
import { followPackage, followScriptRunner } from './follow-package.ts';
import { followPlugins, followPython, isPytest } from './follow-python.ts';
import type { Followers } from './follow-wrapped.ts';
import { followFind, followStarted, followWrapped, followXargs } from './follow-wrapped.ts';
import { composerLines, followTasks } from './follow-tasks.ts';
import {
  hasTasks,
  isKnown,
  LANGUAGES,
  MAKES,
  NODES,
  PACKAGE_RUNNERS,
  PACKAGE_STARTERS,
  PYTHON,
  SCRIPT_RUNNERS,
  SHELLS,
  TEST_RUNNERS,
  WRAPPERS,
} from './known-programs.ts';
import { readShell } from './shell-script.ts';
import { UNKNOWN } from './shell-values.ts';

/** The files of the base as texts, as far as they were read. */
export type Texts = ReadonlyMap<string, string>;

/** Follows a command that is started in the folder `inside`. Read what is `wanted`, and ask again. */
export function followCommand(
  command: readonly string[],
  inside: string,
  base: Tree,
  texts: Texts,
): Followed {
  const trail = new Trail(base, texts);
  trail.pythonRoots.add(inside);
  follow(trail, command, { folders: [inside], depth: 0 });
  return trail.followed();
}

const DEPTH_MAX = 12;
const FOLLOWERS: Followers = { follow, followLine, followFile, ofVariable };

export type Follow = typeof follow;

function follow(trail: Trail, command: readonly string[], where: Where): void {
  const [program, ...args] = command;
  if (program === undefined || program === '') return;
  if (where.depth > DEPTH_MAX) {
    trail.leavesOpen('its commands start each other too deeply');
    return;
  }
  const deeper = { ...where, depth: where.depth + 1 };
  const name = posix.basename(program);
  for (const word of args) for (const path of trail.paths(word, where)) trail.named.add(path);
  if (program.includes('/') && !program.startsWith('/')) {
    followProgram(trail, program, args, deeper);
    return;
  }
  if (program.includes(UNKNOWN)) {
    trail.leavesOpen('it starts a command that is computed when it runs');
    return;
  }
  for (const folder of trail.programFolders) {
    const path = posix.join(folder, name);
    if (trail.base.has(path)) followFile(trail, path, args, deeper);
  }
  settingsOf(trail, name, args, where);
  if (WRAPPERS.has(name)) followWrapped(trail, name, args, deeper, FOLLOWERS);
  else if (SHELLS.has(name)) followShell(trail, args, deeper);
  else if (name === 'eval') followLine(trail, args.join(' '), deeper);
  else if (name === 'trap') followLine(trail, args[0] ?? '', deeper);
  else if (name === 'source' || name === '.') followSourced(trail, args, deeper);
  else if (name === 'xargs') followXargs(trail, args, deeper, FOLLOWERS);
  else if (name === 'find') followFind(trail, args, deeper, FOLLOWERS);
  else if (MAKES.has(name)) followMake(trail, args, deeper, followLine);
  else if (NODES.has(name) || name === 'deno') followNode(trail, name, args, deeper, follow);
  else if (PYTHON.test(name)) followPython(trail, args, deeper);
  else if (LANGUAGES.has(name)) followInterpreted(trail, name, args, deeper);
  else if (PACKAGE_RUNNERS.has(name))
    followPackage(trail, name, args, deeper, { follow, followLine });
  else if (PACKAGE_STARTERS.has(name)) followStarted(trail, args, deeper, FOLLOWERS);
  else if (SCRIPT_RUNNERS.has(name))
    followScriptRunner(trail, name, args, deeper, { follow, followLine });
  else if (TEST_RUNNERS.has(name)) {
    addNamedTests(trail, args, deeper);
    if (isPytest(name)) followPlugins(trail, args, deeper);
  } else if (name === 'coverage' && args[0] === 'run') followPython(trail, args.slice(1), deeper);
  else if (name === 'composer') followComposer(trail, args, deeper);
  else if (/^(?:go|cargo|dotnet|swift|dart|mix)$/.test(name) && args.includes('run'))
    trail.leavesOpen(`it builds and runs a program of the work with ${name}`);
  else if (hasTasks(name)) followTasks(trail, name, args, deeper, followLine);
  else if (!isKnown(name)) trail.meetsUnknown(program);
}

/** A program that is named by its path. */
function followProgram(trail: Trail, program: string, args: readonly string[], where: Where): void {
  const paths = trail.paths(program, where);
  if (paths.length === 0) {
    trail.leavesOpen(`it starts ${shown(program)}, whose place is computed when it runs`);
    return;
  }
  for (const path of paths) {
    trail.strict.add(path);
    if (trail.base.has(path)) followFile(trail, path, args, where);
  }
  if (/(?:^|\/)(?:node_modules|\.venv|venv)\//.test(program))
    follow(trail, [posix.basename(program), ...args], where);
}

/** A file of the base that is executed. */
function followFile(trail: Trail, path: string, args: readonly string[], where: Where): void {
  trail.strict.add(path);
  // What a wrapper of a build tool starts is that tool, whose settings are known.
  if (/^(?:gradlew|mvnw)$/.test(posix.basename(path))) return;
  if (!trail.enters(`file ${path} ${args.join(' ')}`)) return;
  const text = trail.text(path);
  if (text === undefined) return;
  const [, line = ''] = /^#!\s*(.*)/.exec(text) ?? [];
  const interpreter = line
    .split(/\s+/)
    .map((word) => posix.basename(word))
    .find((word) => word !== '' && word !== 'env' && !word.startsWith('-'));
  if (
    interpreter === undefined
      ? /\.(?:sh|bash)$|^[^.]*$/.test(posix.basename(path))
      : SHELLS.has(interpreter)
  ) {
    if (!text.includes('\0')) followScript(trail, path, text, args, where);
  } else if (interpreter === undefined) {
    followText(trail, path, text);
  } else {
    follow(
      trail,
      [interpreter, `./${posix.relative(where.folders[0] ?? '', path)}`, ...args],
      where,
    );
    followText(trail, path, text);
    if (!isKnown(interpreter)) trail.meetsUnknown(interpreter);
  }
}

function followScript(
  trail: Trail,
  path: string,
  text: string,
  args: readonly string[],
  where: Where,
): void {
  followCommands(trail, readShell(text, { folder: folderOf(path), args }), where);
}

/** A line as a shell reads it. */
function followLine(trail: Trail, line: string, where: Where): void {
  if (line.trim() === UNKNOWN) {
    trail.leavesOpen('it starts a command that is computed when it runs');
    return;
  }
  if (!trail.enters(`line ${where.folders.join(':')} ${line}`)) return;
  followCommands(trail, readShell(line, { folder: where.folders[0] ?? '', args: [] }), where);
}

function followCommands(
  trail: Trail,
  { commands, functions }: ReturnType<typeof readShell>,
  where: Where,
): void {
  for (const name of functions) trail.functions.add(name);
  let at = where;
  for (const { sets, words } of commands) {
    for (const [name, values] of sets)
      for (const value of values) ofVariable(trail, name, value, at);
    if (words[0] === 'cd' || words[0] === 'pushd')
      at = moved(
        trail,
        at,
        words.slice(1).find((word) => !word.startsWith('-')),
      );
    else if (!(words[0] !== undefined && trail.functions.has(words[0]))) follow(trail, words, at);
  }
}

/** Variables that make an interpreter load files, or look for programs elsewhere. */
function ofVariable(trail: Trail, name: string, value: string, where: Where): void {
  if (name === 'PATH')
    for (const part of value.split(':'))
      for (const folder of part.startsWith('/') ? [] : trail.paths(part, where))
        trail.programFolders.add(folder);
  if (name === 'PYTHONPATH')
    for (const part of value.split(':'))
      for (const folder of trail.paths(part, where)) trail.pythonRoots.add(folder);
  if (name === 'PYTEST_ADDOPTS') followPlugins(trail, value.split(/\s+/), where);
  if (name === 'PYTEST_PLUGINS')
    for (const plugin of value.split(',')) followPlugins(trail, ['-p', plugin], where);
  if (name === 'NODE_OPTIONS') ofNodeOptions(trail, value.split(/\s+/), where);
  if (name === 'BASH_ENV' || name === 'ENV' || name === 'MAKEFILES' || name === 'PYTHONSTARTUP')
    followSourced(trail, value.split(/\s+/), where);
}

function followShell(trail: Trail, args: readonly string[], where: Where): void {
  const rest = args[0] === 'sh' ? args.slice(1) : args; // busybox sh
  const at = rest.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  if (at >= 0) {
    const line = rest[at + 1] ?? '';
    const given = { folder: where.folders[0] ?? '', args: rest.slice(at + 3) };
    followCommands(trail, readShell(line, given), where);
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
    trail.leavesOpen(`it runs ${shown(script)}, whose place is computed when it runs`);
  for (const path of paths) {
    trail.strict.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.enters(`file ${path} ${rest.slice(index + 1).join(' ')}`))
      followScript(trail, path, text, rest.slice(index + 1), where);
  }
}

function followSourced(trail: Trail, args: readonly string[], where: Where): void {
  const [file = ''] = args.filter((arg) => !arg.startsWith('-'));
  if (file === '' || file.startsWith('/') || file.startsWith('~')) return;
  const paths = trail.paths(file, where);
  if (paths.length === 0)
    trail.leavesOpen(`it reads ${shown(file)}, whose place is computed when it runs`);
  for (const path of paths) {
    trail.strict.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.enters(`sourced ${path}`))
      followScript(trail, path, text, args.slice(1), where);
  }
}

function followComposer(trail: Trail, args: readonly string[], where: Where): void {
  const words = args.filter((arg) => !arg.startsWith('-') && arg !== 'run' && arg !== 'run-script');
  for (const path of upwards(where.folders, 'composer.json'))
    for (const line of composerLines(trail.text(path) ?? '', words[0] ?? ''))
      if (line.startsWith('@') && line !== '@php')
        follow(trail, ['composer', line.slice(1)], where);
      else followLine(trail, line, where);
}

function followInterpreted(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: Where,
): void {
  const inline = name === 'php' ? /^-[rBRE]$/ : /^(?:-[A-Za-z]*[eE]|--eval(?:=.*)?)$/s;
  if (args.some((arg) => inline.test(arg))) runsInline(trail, name);
  else if (args.every((arg) => arg.startsWith('-') && !ASKS_ABOUT.test(arg)))
    readsInput(trail, name);
  for (const path of args.flatMap((arg) => trail.paths(arg, where))) {
    trail.scripts.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.enters(`text ${path}`)) followText(trail, path, text);
  }
}

/** The files that flags name: `make -f check.mk`, `jest --config=jest.ci.js`. */
function settingsOf(trail: Trail, name: string, args: readonly string[], where: Where): void {
  if (name === 'test' || name === '[' || name === 'sh' || name === 'bash' || name === 'grep')
    return;
  for (const [index, arg] of args.entries()) {
    const [, flag = '', value] =
      /^(-f|-c|-p|-P|-r|--[\w-]*(?:file|config|rcfile|project|setup|plugins?|require|import|preset|suite|spec|reporter|resolver|runner|conf|ini|manifest-path|settings))(?:[=](.*))?$/s.exec(
        arg,
      ) ?? [];
    if (flag === '') continue;
    for (const path of trail.paths(value ?? args[index + 1] ?? '', where)) {
      trail.scripts.add(path);
      for (const end of ['.js', '.cjs', '.mjs', '.ts', '.json']) trail.scripts.add(path + end);
      const text = trail.text(path);
      if (text !== undefined && trail.enters(`text ${path}`)) followText(trail, path, text);
    }
  }
}
