/**
 * The files that decide how a brief is made: the merged role, its strategy and its templates. A workflow pins them
 * when it is submitted, so that a later edit of a file changes only later workflows.
 */
import { join } from 'node:path';
import type { Json } from '../base/json.ts';
import type { ContextStrategy } from '../context/strategy.ts';
import { loadStrategy, PLAIN_STRATEGY } from '../context/strategy.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { packageData } from '../host/files/package-data.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { gitOutput } from '../host/git/git-output.ts';
import { parseTemplate } from '../prompts/template/parse-template.ts';
import type { ParsedTemplate, Template } from '../prompts/template/syntax.ts';
import { loadTemplates } from '../prompts/templates.ts';
import { loadRole } from '../roles/load-role.ts';
import type { Role } from '../roles/role.ts';
import { roleSources } from '../roles/role-path.ts';
import { withPacks } from '../packs/installed-packs.ts';
import type { FileTexts, TrustedProject } from '../trust/trusted-project.ts';

export type BriefParts = {
  readonly role: Role;
  readonly strategy: ContextStrategy;
  /** By name: the template of the role, and all that it extends or includes. */
  readonly templates: ReadonlyMap<string, ParsedTemplate>;
};

export type BriefFiles = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  readonly project: TrustedProject;
  readonly role: string;
  /** How files are read. Absent: from the disk, and those of the project as they were checked. */
  readonly files?: FileTexts;
};

export type LoadedParts = BriefParts & {
  /** A file of the project defines part of the role. */
  readonly isOfProject: boolean;
};

export async function loadBriefParts({
  home,
  project,
  role: name,
  files: given = project.over({ read: readTextFile, list: listFolder }),
}: BriefFiles): Promise<LoadedParts> {
  const files = withPacks(home, given);
  const folders = { home, project, packageData };
  const { role, layers } = await loadRole(name, roleSources(folders), files);
  const isOfProject = layers.some(({ placed }) => placed.source.level === 'project');
  const { context } = role;
  const strategy =
    context.strategy === null
      ? PLAIN_STRATEGY
      : await loadStrategy(context.strategy, folders, {
          read: files.read,
          committed: (path) => committedText(project.root, path),
        });
  const templates = await loadTemplates(role.template, folders, files.read);
  return { role, strategy, templates, isOfProject };
}

async function committedText(project: string, path: string): Promise<string | undefined> {
  const result = await gitOutput(project, ['show', `HEAD:./${join(path)}`]);
  return result.kind === 'output' ? result.bytes.toString('utf8') : undefined;
}

type PinnedParts = {
  readonly role: Role;
  readonly strategy: ContextStrategy;
  readonly templates: readonly Template[];
};

/** The same as a value for the journal. Templates are stored as their texts. */
export function pinParts({ role, strategy, templates }: BriefParts): Json {
  const texts = [...templates.values()].map(({ template }) => template);
  const pinned: PinnedParts = { role, strategy, templates: texts };
  // Fields without a value have no place in JSON.
  return JSON.parse(JSON.stringify(pinned)) as Json;
}

/** Only the owner writes a journal, so the form of the value is not checked again. */
export function readPinnedParts(pinned: Json): BriefParts {
  const { role, strategy, templates } = pinned as unknown as PinnedParts;
  const parsed = templates.map((one) => [one.name, parseTemplate(one)] as const);
  return {
    role,
    strategy: { ...strategy, tokenBudget: strategy.tokenBudget },
    templates: new Map(parsed),
  };
}
