/** Checks the file of a project against `PROJECT_RULES`. */
import { isAbsolute, join, normalize } from 'node:path';
import { isWithin } from '../base/secret-paths.ts';
import { readSetting } from '../settings/config-file.ts';
import type { Settings } from '../settings/settings.ts';
import { PROJECT_FOLDER } from '../trust/project-folder.ts';
import { quote } from '../yaml/problem.ts';
import type { Problem } from '../yaml/problem.ts';
import { pathText, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlPath, YamlTree } from '../yaml/yaml-tree.ts';
import type { ProjectRuleContext, ProjectRule } from './project-rules.ts';
import { PROJECT_RULES } from './project-rules.ts';
import { defaultAt } from './explain.ts';

export type ProjectCheck = {
  /** The project's own file. */
  readonly tree: YamlTree;
  /** The user's file (an empty map if there is none), and the settings without the project. */
  readonly userTree: YamlTree;
  readonly user: Settings;
  readonly context: ProjectRuleContext;
};

export const NOT_FOR_PROJECTS = {
  code: 'config.invalid',
  hint: 'A project may not set this. To use it, put it into your own file, $SUPERVISOR_HOME/config.yaml (default ~/.supervisor/config.yaml).',
} as const;

/** The problems with the file of a project. */
export function checkProject({ tree, userTree, user, context }: ProjectCheck): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (at: YamlTree, path: YamlPath, why: string): void =>
    void problems.push({
      place: at.place,
      key: pathText(path),
      message: `${pathText(path)}: a project may not set this: ${why}`,
    });
  const visit = (at: YamlTree, path: YamlPath): void => {
    // List items are appended, so only a value outside a list can replace a value of the user.
    const isMerged = path.every((step) => typeof step !== 'number');
    const userValue = at.fresh && isMerged ? treeAt(userTree, path) : undefined;
    if (userValue !== undefined && userValue.kind !== 'empty')
      return report(at, path, 'it would override your own settings');
    if (at.kind === 'map' && !isRecordKey(path)) {
      for (const { key, value } of at.entries) visit(value, [...path, key]);
      return;
    }
    if (at.kind === 'list') {
      for (const [index, item] of at.items.entries()) visit(item, [...path, index]);
      return;
    }
    if (at.kind === 'empty' || (at.kind === 'scalar' && at.value === null)) return;
    const written = at.kind === 'scalar' ? at.value : null;
    const why = findObjection(findRule(path), path, written, { user, userTree, context });
    if (why !== undefined) report(at, path, why);
  };
  visit(tree, []);
  return problems;
}

/** `tree.children[0].children[2].name` and `tree.children[0].name` have one rule. */
function ruleKey(path: YamlPath): string {
  return path
    .map((step) => (typeof step === 'number' ? '[]' : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
    .replace(/^tree(\.children\[\])+/, 'tree.children[]');
}

function findRule(path: YamlPath): ProjectRule | undefined {
  const key = ruleKey(path);
  return Object.hasOwn(PROJECT_RULES, key) ? PROJECT_RULES[key] : undefined;
}

/** A map with free keys has one rule for all of them. */
function isRecordKey(path: YamlPath): boolean {
  return findRule(path) !== undefined;
}

function findObjection(
  rule: ProjectRule | undefined,
  path: YamlPath,
  written: Scalar,
  { context, ...user }: Pick<ProjectCheck, 'user' | 'userTree' | 'context'>,
): string | undefined {
  switch (rule?.kind) {
    case undefined:
      return 'it has no rule that allows it';
    case 'allowed':
      return undefined;
    case 'own':
      return rule.why;
    case 'at-most':
    case 'at-least':
      return widerObjection(rule, path, written, user.userTree);
    case 'checked':
      return rule.objection(written, user.user, context);
  }
}

type Scalar = string | number | boolean | null;

/** The default limits a project as much as a value of the user: a project must not decide what this machine gives away. */
function widerObjection(
  { kind, limitKey, max }: Extract<ProjectRule, { readonly limitKey: string }>,
  path: YamlPath,
  written: Scalar,
  userTree: YamlTree,
): string | undefined {
  const limitPath = limitKey.split('.');
  const userValue = treeAt(userTree, limitPath);
  const userSetting =
    userValue?.kind === 'scalar' && userValue.value !== null ? userValue.value : undefined;
  const fallback = writtenDefault(limitPath);
  const limit = readSetting(limitPath, userSetting ?? fallback) ?? max;
  if (limit === undefined) return undefined;
  const value = Number(readSetting(path, written));
  const isWider = kind === 'at-most' ? value > Number(limit) : value < Number(limit);
  if (!isWider) return undefined;
  const unset = `your settings do not set ${limitKey}, and`;
  const comparison =
    userSetting !== undefined
      ? `your settings set ${limitKey} to ${String(userSetting)}`
      : fallback === undefined
        ? `${unset} a project may set at most ${Number(limit)}`
        : `${unset} its default is ${fallback}`;
  return `${String(written)} is wider than your own limit: ${comparison}`;
}

function writtenDefault(path: readonly string[]): string | number | undefined {
  const value = defaultAt(path);
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** Checks paths as written and with links resolved. `./` is the project. */
export function ruleContext(
  root: string,
  userDir: string,
  realPath: (path: string) => string | undefined,
): ProjectRuleContext {
  const roots = [root, realPath(root)].filter((path) => path !== undefined);
  return {
    outside: (path) => {
      const full = /^~(\/|$)/.test(path) ? join(userDir, path.slice(1)) : path;
      const plain = normalize(isAbsolute(full) ? full : join(root, full)).replace(/(?<=.)\/$/, '');
      const real = realPath(plain);
      const isInside = [plain, ...(real === undefined ? [] : [real])].every((one) =>
        roots.some((folder) => isWithin(one, folder)),
      );
      return isInside ? undefined : `${quote(path)} is outside the project`;
    },
    unhashed: (path) =>
      path.startsWith(`./${PROJECT_FOLDER}/`) && !/(^|\/)\.\.(\/|$)/.test(path)
        ? undefined
        : `a script must be in ./${PROJECT_FOLDER}/, because only that folder is covered by your trust`,
  };
}
