/** The roles that a workflow names, and what each answers with. */
import { isRefusal } from '../base/errors.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import { loadPlaced } from '../roles/load-role.ts';
import { listRoleFiles } from '../roles/role-path.ts';
import type { RoleFiles, RoleSource } from '../roles/role-path.ts';
import type { WorkflowFile } from '../settings/workflow-file.ts';
import { nearest } from '../yaml/nearest.ts';
import { quote } from '../yaml/problem.ts';
import { suggest } from '../yaml/schema-faults.ts';
import type { Report } from './step-draft.ts';
import type { RoleAnswers } from './workflow-settings.ts';

export type RoleLookup = {
  readonly names: readonly string[];
  /** What the role answers with. Rejects with a refusal if its files are invalid. */
  answerOf(name: string): Promise<AnswerKind>;
};

export async function openRoles(
  sources: readonly RoleSource[],
  files: RoleFiles,
): Promise<RoleLookup> {
  const { placed } = await listRoleFiles(sources, files);
  return {
    names: [...new Set(placed.map(({ name }) => name))],
    answerOf: async (name) => {
      const own = placed.find((one) => one.name === name);
      return own === undefined ? 'generic' : (await loadPlaced(own, placed, files)).role.answer;
    },
  };
}

/** Reports each role that does not exist or is invalid. */
export async function findRoles(
  { steps }: WorkflowFile,
  lookup: RoleLookup,
  report: Report,
): Promise<RoleAnswers> {
  const answers = new Map<string, AnswerKind>();
  for (const [id, { role, roles = [] }] of Object.entries(steps)) {
    const named = [
      ...(role === undefined ? [] : [{ name: role, path: ['steps', id, 'role'] }]),
      ...roles.map((name, index) => ({ name, path: ['steps', id, 'roles', index] })),
    ];
    for (const { name, path } of named) {
      if (answers.has(name)) continue;
      if (!lookup.names.includes(name)) {
        const meant = nearest(name, lookup.names);
        report(path, `no role is called ${quote(name)}${suggest(meant)}`, meant);
        continue;
      }
      try {
        answers.set(name, await lookup.answerOf(name));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        report(path, `the role ${quote(name)} is invalid: ${error.message}`);
      }
    }
  }
  return answers;
}
