/** What a call of Python starts: a script, or a module that it finds in the tree before its own. */
import { posix } from 'node:path';
import { hasUnittests, UNITTEST } from '../../test-reports/non-js-runners.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { parentFolder, shownPath } from './followed.ts';
import {
  addScript,
  ASKS_ABOUT,
  followText,
  addCodeFromInput,
  addInlineCode,
} from './follow-scripts.ts';
import { isReadingModule } from '../../workspace/apply/executed-words.ts';
import { RUNNERS } from '../definition/program-settings.ts';
import { CHECKING_MODULES, STANDARD_MODULES } from '../definition/python-modules.ts';

/** Those that pytest or a common package brings. */
const BUILT_IN_PLUGINS = new Set(
  'cacheprovider doctest terminal pytester faulthandler randomly timeout asyncio'.split(' '),
);
const TAKES_VALUE = /^-(?:W|X|-check-hash-based-pycs)$/;

export function followPython(trail: Trail, args: readonly string[], where: FollowPosition): void {
  for (const folder of where.folders) trail.pythonRoots.add(folder);
  const asksOnly = args.some((arg) => ASKS_ABOUT.test(arg) && arg !== '-v');
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (TAKES_VALUE.test(arg)) at += 1;
    else if (/^-[A-Za-z]*m$/.test(arg)) {
      followModule(trail, args[at + 1] ?? '', where);
      // `-m py_compile a.py` reads the file: that is what it checks.
      if (isReadingModule(args[at + 1] ?? '')) return;
      for (const rest of args.slice(at + 2)) followArgument(trail, rest, where);
      if (isPytest(args[at + 1] ?? '')) followPlugins(trail, args.slice(at + 2), where);
      return;
    } else if (/^-[BbdEhiIOPqsSuvx]*c/.test(arg)) {
      addInlineCode(trail, 'python');
      return;
    } else if (!arg.startsWith('-')) {
      for (const path of trail.paths(arg, where)) {
        trail.pythonRoots.add(trail.isFolder(path) ? path : parentFolder(path));
        addScript(trail, path);
        addScript(trail, `${path}/__main__`);
        if (!asksOnly && hasUnittests(trail.text(path) ?? '')) trail.runners.add(UNITTEST);
      }
      for (const rest of args.slice(at + 1)) followArgument(trail, rest, where);
      return;
    }
  }
  if (!args.some((arg) => ASKS_ABOUT.test(arg))) addCodeFromInput(trail, 'python');
}

export function isPytest(name: string): boolean {
  return name === 'pytest' || name === 'py.test';
}

/** Plugins that `-p` names: one that is not installed comes from the tree, and can change any verdict. */
export function followPlugins(trail: Trail, args: readonly string[], where: FollowPosition): void {
  for (const [index, arg] of args.entries()) {
    const [, joined] = /^-p(.*)$/s.exec(arg) ?? [];
    const plugin = joined === '' ? (args[index + 1] ?? '') : (joined ?? '');
    if (plugin === '' || plugin.startsWith('no:')) continue;
    if (CHECKING_MODULES.has(plugin) || BUILT_IN_PLUGINS.has(plugin)) continue;
    followModule(trail, plugin, where);
    trail.addNotFollowed(`it loads the pytest plugin ${shownPath(plugin)}, which is not followed`);
  }
}

/** Other arguments may name tests: `manage.py test`, `-m unittest checks.suite`. */
function followArgument(trail: Trail, word: string, where: FollowPosition): void {
  if (word.startsWith('-')) return;
  for (const path of trail.paths(word, where)) if (trail.base.has(path)) addScript(trail, path);
  if (/^\w+(?:\.\w+)+$/.test(word))
    for (const path of trail.paths(word.replaceAll('.', '/'), where)) addScript(trail, path);
}

function followModule(trail: Trail, module: string, where: FollowPosition): void {
  const [top = ''] = module.split('.');
  const steps = module.split('.');
  const files = steps.flatMap((_, index) => {
    const path = steps.slice(0, index + 1).join('/');
    return index === steps.length - 1
      ? [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`]
      : [`${path}/__init__.py`];
  });
  const found = files.flatMap((file) => trail.paths(file, where));
  const isInBase = found.some((path) => trail.base.has(path));
  const isForeign = STANDARD_MODULES.has(top) || CHECKING_MODULES.has(top) || RUNNERS.has(top);
  for (const path of found) {
    if (isForeign) trail.strict.add(path);
    else trail.scripts.add(path);
    const text = trail.base.has(path) ? trail.text(path) : undefined;
    if (text !== undefined && trail.markVisited(`text ${path}`)) followText(trail, path, text);
  }
  if (!isInBase && !isForeign) {
    const exists = where.folders.some((folder) => trail.isFolder(posix.join(folder, top)));
    if (!exists)
      trail.addNotFollowed(
        `it starts the Python module ${shownPath(module)}, which the base does not have`,
      );
  }
}
