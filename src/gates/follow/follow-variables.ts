/** Variables that make a program load files, or look for programs and libraries elsewhere. */
import { LOADS_FILES } from '../../base/loading-variables.ts';
import { silentRunnersWith } from '../../test-reports/non-js-runners.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { followNodeOptions } from './follow-scripts.ts';
import { followPlugins } from './follow-python.ts';
import { UNKNOWN } from './shell-values.ts';

export type FollowSourced = (trail: Trail, args: readonly string[], where: FollowPosition) => void;

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
    LOADS_FILES.test(name) &&
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
    /^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*(.*)$/gm,
  ))
    followVariable(trail, name, value.trim().replace(/^(['"])(.*)\1$/, '$2'), where, followSourced);
}
