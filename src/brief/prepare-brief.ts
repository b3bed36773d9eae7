/** Prepares the input of a fresh agent: its role, the context that fits, one prompt, and the form of its answer. */
import { join } from 'node:path';
import type { ContextCache } from '../context/context-cache.ts';
import { gather } from '../context/gather.ts';
import { openProject } from '../context/open-project.ts';
import { pack } from '../context/pack.ts';
import type { Packed } from '../context/pack.ts';
import type { RedactText } from '../context/redact-fragment.ts';
import { loadStrategy, PLAIN_STRATEGY } from '../context/strategy.ts';
import { widestMargin } from '../context/tokenizer.ts';
import { gitOutput } from '../host/git/git-output.ts';
import { listFolder } from '../host/files/list-folder.ts';
import { packageData } from '../host/files/package-data.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { renderPrompt } from '../prompts/render-prompt.ts';
import { loadTemplates } from '../prompts/templates.ts';
import { TOKEN_BUDGET_DEFAULT } from '../settings/role-file.ts';
import { loadRole } from '../roles/load-role.ts';
import type { Role } from '../roles/role.ts';
import { roleSources } from '../roles/role-path.ts';
import type { TrustedProject } from '../trust/trusted-project.ts';

export type BriefOptions = {
  /** The directory of the user's state, `$SUPERVISOR_HOME`. */
  readonly home: string;
  readonly project: TrustedProject;
  readonly role: string;
  readonly task: string;
  /** Files, folders or patterns, relative to the project. */
  readonly targets: readonly string[];
  readonly plan?: string;
  /** Why the last answer or attempt was rejected. */
  readonly feedback?: string;
  /** The CLIs that may get the prompt of this role; empty means any CLI. */
  readonly clisOf: (role: Role) => readonly string[];
  readonly redact: RedactText;
  readonly cache: ContextCache;
  /** See `GatherOptions`. */
  readonly runCommand?: (command: string) => Promise<string>;
};

export type PreparedBrief = {
  readonly role: Role;
  readonly targets: readonly string[];
  /** The CLIs that may get the prompt. The token budget fits the CLI that counts the most tokens. */
  readonly clis: readonly string[];
  readonly packed: Packed;
  /** A file of the project defines part of the role. */
  readonly isOfProject: boolean;
  /** Contains `packed.text` unchanged. */
  readonly prompt: string;
};

export async function prepareBrief(options: BriefOptions): Promise<PreparedBrief> {
  const { home, project, task, plan, feedback, redact, cache, runCommand } = options;
  const folders = { home, project, packageData };
  const files = project.over({ read: readTextFile, list: listFolder });
  const { role, layers } = await loadRole(options.role, roleSources(folders), files);
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
  const { pieces, order, keep, targets } = await gather({
    view: await openProject(project.root, cache),
    request: context,
    strategy,
    targets: options.targets,
    ...(plan !== undefined && { plan }),
    ...(runCommand !== undefined && { runCommand }),
  });
  const around = (packed: string): string =>
    renderPrompt(role.template, templates, {
      role,
      task,
      targets,
      context: packed,
      ...(feedback !== undefined && { feedback }),
    });
  const clis = options.clisOf(role);
  const packed = await pack({
    pieces,
    order,
    keep,
    budget: context.tokenBudget ?? strategy.tokenBudget ?? TOKEN_BUDGET_DEFAULT,
    cli: widestMargin(clis),
    around,
    redact,
    cache,
  });
  return { role, targets, clis, packed, isOfProject, prompt: around(packed.text) };
}

async function committedText(project: string, path: string): Promise<string | undefined> {
  const result = await gitOutput(project, ['show', `HEAD:./${join(path)}`]);
  return result.kind === 'output' ? result.bytes.toString('utf8') : undefined;
}
