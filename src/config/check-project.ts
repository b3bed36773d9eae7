/** Holds the file of a project to what a project may set: see `PROJECT_RULES`. */
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
  /** The user's file, and the settings without a project; an empty map where there is none. */
  readonly userTree: YamlTree;
  readonly user: Settings;
  readonly place: ProjectRuleContext;
};

export const NOT_FOR_PROJECTS = {
  code: 'config.invalid',
  hint: 'A project may not set this. If you want it, put it into your own file, $SUPERVISOR_HOME/config.yaml (default ~/.supervisor/config.yaml).',
} as const;

/** What a project may not say, each with its place. */
export function checkProject({ tree, userTree, user, place }: ProjectCheck): readonly Problem[] {
  const problems: Problem[] = [];
  const object = (at: YamlTree, path: YamlPath, why: string): void =>
    void problems.push({
      place: at.place,
      key: pathText(path),
      message: `${pathText(path)}: a project may not set this: ${why}`,
    });
  const visit = (at: YamlTree, path: YamlPath): void => {
    // Items of lists lie side by side: only what stands outside of one can take something back.
    const isMerged = path.every((step) => typeof step !== 'number');
    const before = at.fresh && isMerged ? treeAt(userTree, path) : undefined;
    if (before !== undefined && before.kind !== 'empty')
      return object(at, path, 'it would take back what your own settings say');
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
    const why = objectionTo(ruleOf(path), path, written, { user, userTree, place });
    if (why !== undefined) object(at, path, why);
  };
  visit(tree, []);
  return problems;
}

/** `tree.children[0].children[2].name` and `tree.children[0].name` have one rule. */
export function ruleKey(path: YamlPath): string {
  return path
    .map((step) => (typeof step === 'number' ? '[]' : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
    .replace(/^tree(\.children\[\])+/, 'tree.children[]');
}

function ruleOf(path: YamlPath): ProjectRule | undefined {
  const key = ruleKey(path);
  return Object.hasOwn(PROJECT_RULES, key) ? PROJECT_RULES[key] : undefined;
}

/** A map whose keys are the writer's own words has one rule for all of them. */
function isRecordKey(path: YamlPath): boolean {
  return ruleOf(path) !== undefined;
}

function objectionTo(
  rule: ProjectRule | undefined,
  path: YamlPath,
  written: Scalar,
  { place, ...user }: Pick<ProjectCheck, 'user' | 'userTree' | 'place'>,
): string | undefined {
  switch (rule?.kind) {
    case undefined:
      return 'it is not known to be harmless there';
    case 'allowed':
      return undefined;
    case 'own':
      return rule.why;
    case 'at-most':
    case 'at-least':
      return wider(rule, path, written, user.userTree);
    case 'checked':
      return rule.objection(written, user.user, place);
  }
}

type Scalar = string | number | boolean | null;

/** The default holds as much as what the user wrote: a project must not decide what this machine gives away. */
function wider(
  { kind, than, most }: Extract<ProjectRule, { readonly than: string }>,
  path: YamlPath,
  written: Scalar,
  userTree: YamlTree,
): string | undefined {
  const thanPath = than.split('.');
  const said = treeAt(userTree, thanPath);
  const own = said?.kind === 'scalar' && said.value !== null ? said.value : undefined;
  const usual = writtenDefault(thanPath);
  const held = readSetting(thanPath, own ?? usual) ?? most;
  if (held === undefined) return undefined;
  const value = Number(readSetting(path, written));
  const isWider = kind === 'at-most' ? value > Number(held) : value < Number(held);
  if (!isWider) return undefined;
  const silence = `your own settings say nothing of ${than}, and`;
  const against =
    own !== undefined
      ? `your own ${than} is ${String(own)}`
      : usual === undefined
        ? `${silence} a project may have ${Number(held)}`
        : `${silence} its default is ${usual}`;
  return `${String(written)} is wider than what holds without the project: ${against}`;
}

function writtenDefault(path: readonly string[]): string | number | undefined {
  const usual = defaultAt(path);
  return typeof usual === 'string' || typeof usual === 'number' ? usual : undefined;
}

/** Judges paths as written and with their links followed; `./` is the project. */
export function placeIn(
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
        : `a script must lie in ./${PROJECT_FOLDER}/, so that it is part of what you trust`,
  };
}
