/**
 * Which files of a project decide what a command does, read from the base without running anything.
 * These are the program itself, the script of an interpreter, the tasks of make or npm, and
 * everything that those start in turn.
 */
import { posix } from 'node:path';
import { readsOnly } from '../../workspace/apply/executed-words.ts';
import type { FileTree } from '../../workspace/tree-entries.ts';
import type { Followed, FollowPosition } from '../follow/followed.ts';
import { shownPath, Trail, upwards } from '../follow/followed.ts';
import { followMake } from '../follow/follow-make.ts';
import {
  addNamedTests,
  addReadChecks,
  ASKS_ABOUT,
  followNode,
  followNodeOptions,
  followText,
  addCodeFromInput,
  addInlineCode,
} from '../follow/follow-scripts.ts';
import { followPackage, followScriptRunner } from '../follow/follow-package.ts';
import { followPlugins, followPython, isPytest } from '../follow/follow-python.ts';
import type { Followers } from '../follow/follow-wrapped.ts';
import { followFind, followStarted, followWrapped, followXargs } from '../follow/follow-wrapped.ts';
import { composerLines, followTasks, hookLines } from '../follow/follow-tasks.ts';
import { followBuild, isBuildTool } from '../follow/follow-builds.ts';
import {
  followLine as followShellLine,
  followScript,
  followShell,
  followSourced,
} from '../follow/follow-shell.ts';
import { followLinks } from '../follow/follow-links.ts';
import { followSettings } from '../follow/follow-settings.ts';
import { followVariables, followVariable } from '../follow/follow-variables.ts';
import {
  hasTasks,
  isKnownProgram,
  LANGUAGES,
  MAKE_PROGRAMS,
  NODE_PROGRAMS,
  PACKAGE_RUNNERS,
  PACKAGE_STARTERS,
  PYTHON_PROGRAMS,
  READING_PROGRAMS,
  SCRIPT_RUNNERS,
  SHELLS,
  TEST_RUNNERS,
  WRAPPERS,
} from './known-programs.ts';
import { UNKNOWN } from '../follow/shell-values.ts';

/** The files of the base as texts, as far as they were read. */
export type BaseTexts = ReadonlyMap<string, string>;

export type FollowCommandOptions = {
  /** False: only what the command itself starts, not what settings of checkers load. */
  readonly withSettings?: boolean;
};

/** Follows a command that is started in the folder `inside`. Read the `filesToRead`, and call it again. */
export function followCommand(
  command: readonly string[],
  inside: string,
  base: FileTree,
  texts: BaseTexts,
  { withSettings = true }: FollowCommandOptions = {},
): Followed {
  const trail = new Trail(base, texts);
  trail.pythonRoots.add(inside);
  follow(trail, command, { folders: [inside], depth: 0 });
  if (withSettings) {
    followLinks(trail);
    followSettings(trail);
  }
  return trail.followed();
}

const DEPTH_MAX = 12;
const FOLLOWERS: Followers = {
  follow,
  followFile,
  followLine,
  followVariable: (trail, name, value, where) =>
    followVariable(trail, name, value, where, followSourcedFile),
  followVariables: (trail, path, where) => followVariables(trail, path, where, followSourcedFile),
};

export type Follow = typeof follow;

function follow(trail: Trail, command: readonly string[], where: FollowPosition): void {
  const [program, ...args] = command;
  if (program === undefined || program === '') return;
  if (where.depth > DEPTH_MAX) {
    trail.addNotFollowed('its commands start each other too deeply');
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
    trail.addNotFollowed('it starts a command that is computed when it runs');
    return;
  }
  for (const folder of trail.programFolders) {
    const path = posix.join(folder, name);
    if (trail.base.has(path)) followFile(trail, path, args, deeper);
  }
  const isSyntaxCheck = readsOnly(name, args);
  if (!isSyntaxCheck) addSettingsOfFlags(trail, name, args, where);
  if (READING_PROGRAMS.has(name)) addReadChecks(trail, args, where);
  trail.addStartedProgram(name, args);
  if (WRAPPERS.has(name)) followWrapped(trail, name, args, deeper, FOLLOWERS);
  else if (isSyntaxCheck) followNodeOptions(trail, args, deeper);
  else if (SHELLS.has(name)) followShell(trail, args, deeper, FOLLOWERS);
  else if (name === 'eval') followLine(trail, args.join(' '), deeper);
  else if (name === 'trap') followLine(trail, args[0] ?? '', deeper);
  else if (name === 'source' || name === '.') followSourcedFile(trail, args, deeper);
  else if (/^(?:export|declare|typeset|readonly|local)$/.test(name))
    followExports(trail, args, deeper);
  else if (name === 'xargs') followXargs(trail, args, deeper, FOLLOWERS);
  else if (name === 'find') followFind(trail, args, deeper, FOLLOWERS);
  else if (MAKE_PROGRAMS.has(name)) followMake(trail, args, deeper, followLine);
  else if (NODE_PROGRAMS.has(name) || name === 'deno')
    followNode(trail, name, args, deeper, follow);
  else if (PYTHON_PROGRAMS.test(name)) followPython(trail, args, deeper);
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
  else if (isBuildTool(name)) followBuild(trail, name, args, deeper, FOLLOWERS);
  else if (name === 'pre-commit') followHooks(trail, deeper);
  else if (hasTasks(name)) followTasks(trail, name, args, deeper, followLine);
  else if (!isKnownProgram(name)) trail.addUnknownProgram(program);
}

function followLine(trail: Trail, line: string, where: FollowPosition): void {
  followShellLine(trail, line, where, FOLLOWERS);
}

function followSourcedFile(trail: Trail, args: readonly string[], where: FollowPosition): void {
  followSourced(trail, args, where, FOLLOWERS);
}

/** A program that is named by its path. */
function followProgram(
  trail: Trail,
  program: string,
  args: readonly string[],
  where: FollowPosition,
): void {
  const paths = trail.paths(program, where);
  if (paths.length === 0) {
    trail.addNotFollowed(`it starts ${shownPath(program)}, whose place is computed when it runs`);
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
function followFile(
  trail: Trail,
  path: string,
  args: readonly string[],
  where: FollowPosition,
): void {
  trail.strict.add(path);
  // What a wrapper of a build tool starts is that tool, whose settings are known.
  if (/^(?:gradlew|mvnw)$/.test(posix.basename(path))) return;
  if (!trail.markVisited(`file ${path} ${args.join(' ')}`)) return;
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
    if (!text.includes('\0')) followScript(trail, path, text, args, where, FOLLOWERS);
  } else if (interpreter === undefined) {
    followText(trail, path, text);
  } else {
    follow(
      trail,
      [interpreter, `./${posix.relative(where.folders[0] ?? '', path)}`, ...args],
      where,
    );
    followText(trail, path, text);
    if (!isKnownProgram(interpreter)) trail.addUnknownProgram(interpreter);
  }
}

/** `export PATH=./bin:$PATH` counts for all that comes later. */
function followExports(trail: Trail, args: readonly string[], where: FollowPosition): void {
  for (const arg of args) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(arg) ?? [];
    if (name !== '') FOLLOWERS.followVariable(trail, name, value, where);
  }
}

function followHooks(trail: Trail, where: FollowPosition): void {
  for (const path of upwards(where.folders, '.pre-commit-config.yaml'))
    if (trail.base.has(path))
      for (const line of hookLines(trail.text(path) ?? '')) followLine(trail, line, where);
}

function followComposer(trail: Trail, args: readonly string[], where: FollowPosition): void {
  const words = args.filter((arg) => !arg.startsWith('-') && arg !== 'run' && arg !== 'run-script');
  for (const path of upwards(where.folders, 'composer.json'))
    for (const line of trail.base.has(path)
      ? composerLines(trail.text(path) ?? '', words[0] ?? '')
      : [])
      if (line.startsWith('@') && line !== '@php')
        follow(trail, ['composer', line.slice(1)], where);
      else followLine(trail, line, where);
}

function followInterpreted(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
): void {
  const inline = name === 'php' ? /^-[rBRE]$/ : /^(?:-[A-Za-z]*[eE]|--eval(?:=.*)?)$/s;
  if (args.some((arg) => inline.test(arg))) addInlineCode(trail, name);
  else if (args.every((arg) => arg.startsWith('-') && !ASKS_ABOUT.test(arg)))
    addCodeFromInput(trail, name);
  for (const path of args.flatMap((arg) => trail.paths(arg, where))) {
    trail.scripts.add(path);
    const text = trail.text(path);
    if (text !== undefined && trail.markVisited(`text ${path}`)) followText(trail, path, text);
  }
}

/** The files that flags name: `make -f check.mk`, `jest --config=jest.ci.js`. */
function addSettingsOfFlags(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
): void {
  if (name === 'test' || name === '[' || name === 'sh' || name === 'bash' || name === 'grep')
    return;
  for (const [index, arg] of args.entries()) {
    // Many programs read further arguments from such a file.
    if (arg.startsWith('@'))
      for (const path of trail.paths(arg.slice(1), where)) trail.strict.add(path);
    const [, flag = '', value] =
      /^(-f|-c|-p|-P|-r|--[\w-]*(?:file|config|rcfile|project|setup|plugins?|require|import|preset|suite|spec|reporter|resolver|runner|conf|ini|manifest-path|settings|format|formatter|parser|loader|bootstrap|rulesdir|rules|ignore-path|environment|env|transform|hooks?|processor|include-path|plugin-dir))(?:[=](.*))?$/s.exec(
        arg,
      ) ?? [];
    if (flag === '') continue;
    for (const path of trail.paths(value ?? args[index + 1] ?? '', where)) {
      trail.scripts.add(path);
      for (const end of ['.js', '.cjs', '.mjs', '.ts', '.json']) trail.scripts.add(path + end);
      const text = trail.text(path);
      if (text !== undefined && trail.markVisited(`text ${path}`)) followText(trail, path, text);
    }
  }
}
