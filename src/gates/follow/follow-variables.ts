/** Variables that make a program load files, or look for programs and libraries elsewhere. */
import { silentRunnersWith } from '../../test-reports/non-js-runners.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { followNodeOptions } from './follow-scripts.ts';
import { followPlugins } from './follow-python.ts';
import { UNKNOWN } from './shell-values.ts';

export type FollowSourced = (trail: Trail, args: readonly string[], where: FollowPosition) => void;

/** Each can bring code of the tree into a check. What they name is restored if it is a file of the base. */
const LOADS =
  /^(?:NODE_PATH|RUBYLIB|RUBYOPT|PERL5LIB|PERLLIB|PERL5OPT|LUA_PATH|LUA_CPATH|LUA_INIT|CLASSPATH|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|GOFLAGS|GOWORK|GOENV|RUSTC|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|RUSTFLAGS|RUSTDOCFLAGS|CARGO_(?:HOME|BUILD_\w+|TARGET_\w+_RUNNER|ALIAS_\w+)|MAVEN_OPTS|MAVEN_ARGS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|GRADLE_OPTS|GRADLE_USER_HOME|GIT_CONFIG\w*|GIT_EXTERNAL_DIFF|GIT_EXEC_PATH|PYTHONHOME|PYTHONUSERBASE|PYTHONBREAKPOINT|MYPYPATH|COVERAGE_PROCESS_START|COVERAGE_RCFILE|npm_config_\w+|NPM_CONFIG_\w+|TS_NODE_\w+|R_PROFILE\w*|R_ENVIRON\w*|R_LIBS\w*|JULIA_LOAD_PATH|JULIA_PROJECT|ERL_FLAGS|ERL_LIBS|ELIXIR_ERL_OPTIONS|PHPRC|PHP_INI_SCAN_DIR|DOTNET_STARTUP_HOOKS|MAKEFLAGS|GNUMAKEFLAGS|SHELLOPTS|BUNDLE_GEMFILE|HOME|XDG_CONFIG_HOME)$/;

export function followVariable(
  trail: Trail,
  name: string,
  value: string,
  where: FollowPosition,
  followSourced: FollowSourced,
): void {
  // A part that is not known may be what the variable was before, with our reporter in it.
  if (!value.split(/[\s:]/).some((part) => part.endsWith(UNKNOWN)))
    trail.addSilentRunners(silentRunnersWith(name));
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
  if (name === 'NODE_OPTIONS') followNodeOptions(trail, value.split(/\s+/), where);
  if (name === 'BASH_ENV' || name === 'ENV' || name === 'MAKEFILES' || name === 'PYTHONSTARTUP')
    followSourced(trail, value.split(/\s+/), where);
  if (
    LOADS.test(name) &&
    value.split(/[\s:;,=]+/).some((part) => isInProject(trail, name, part, where))
  )
    trail.addNotFollowed(`it sets ${name}, which can load files of the work`);
}

/** Whether a part of a value leads to files of the tree that can't be named. */
function isInProject(trail: Trail, name: string, part: string, where: FollowPosition): boolean {
  if (part === '' || part === UNKNOWN || part.startsWith('/')) return false;
  const paths = trail.paths(part, where).filter((path) => trail.base.has(path));
  for (const path of paths) trail.strict.add(path);
  if (paths.length > 0) return false;
  if (part.includes('/') || part === '.') return true;
  return /PATH|LIB|HOME/.test(name) && !part.startsWith('-');
}

/** Lines like `NAME=value` in a file that a program loads its variables from. */
export function followVariables(
  trail: Trail,
  path: string,
  where: FollowPosition,
  followSourced: FollowSourced,
): void {
  trail.strict.add(path);
  const text = trail.base.has(path) ? (trail.text(path) ?? '') : '';
  for (const [, name = '', value = ''] of text.matchAll(
    /^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$/gm,
  ))
    followVariable(trail, name, value.replace(/^(['"])(.*)\1$/, '$2'), where, followSourced);
}
