/** Prepares the input of a fresh agent: its role, the context that fits, one prompt, and the form of its answer. */
import type { ContextCache } from '../context/context-cache.ts';
import { gather } from '../context/gather.ts';
import { openProject } from '../context/open-project.ts';
import { pack } from '../context/pack.ts';
import type { Packed } from '../context/pack.ts';
import { filesOfTarget } from '../context/selection.ts';
import type { ContextStrategy } from '../context/strategy.ts';
import type { RedactText } from '../context/redact-fragment.ts';
import { widestMargin } from '../context/tokenizer.ts';
import { renderPrompt } from '../prompts/render-prompt.ts';
import { TOKEN_BUDGET_DEFAULT } from '../settings/role-file.ts';
import type { Role } from '../roles/role.ts';
import type { BriefFiles, BriefParts } from './brief-parts.ts';
import { loadBriefParts } from './brief-parts.ts';

type BriefContent = {
  readonly task: string;
  /** Files, folders or patterns, relative to the project. */
  readonly targets: readonly string[];
  readonly plan?: string;
  /** Why the last answer or attempt was rejected. */
  readonly feedback?: string;
  readonly redact: RedactText;
  readonly cache: ContextCache;
  /** See `GatherOptions`. */
  readonly runCommand?: (command: string) => Promise<string>;
};

export type BriefOptions = BriefFiles &
  BriefContent & {
    /** The CLIs that may get the prompt of this role; empty means any CLI. */
    readonly clisOf: (role: Role) => readonly string[];
  };

export type PreparedBrief = ComposedBrief & {
  readonly role: Role;
  /** The CLIs that may get the prompt. The token budget fits the CLI that counts the most tokens. */
  readonly clis: readonly string[];
  /** A file of the project defines part of the role. */
  readonly isOfProject: boolean;
};

export async function prepareBrief(options: BriefOptions): Promise<PreparedBrief> {
  const { isOfProject, ...parts } = await loadBriefParts(options);
  const clis = options.clisOf(parts.role);
  const composed = await composeBrief(parts, { ...options, clis, root: options.project.root });
  return { ...composed, role: parts.role, clis, isOfProject };
}

export type ComposeOptions = BriefContent & {
  /** The folder that the context is taken from. */
  readonly root: string;
  /** More targets. Those that do not exist are left out, and no target is required. */
  readonly suggested?: readonly string[];
  readonly clis: readonly string[];
};

export type ComposedBrief = {
  /** The files that the targets match. */
  readonly targets: readonly string[];
  readonly packed: Packed;
  /** Contains `packed.text` unchanged. */
  readonly prompt: string;
};

export async function composeBrief(
  { role, strategy, templates }: BriefParts,
  options: ComposeOptions,
): Promise<ComposedBrief> {
  const { root, clis, task, plan, feedback, redact, cache, runCommand } = options;
  const { context } = role;
  const view = await openProject(root, cache);
  const { suggested } = options;
  const existing = (suggested ?? []).filter((one) => filesOfTarget(view.paths, one).length > 0);
  const { pieces, order, keep, targets } = await gather({
    view,
    request: context,
    strategy: suggested === undefined ? strategy : withoutTarget(strategy),
    targets: [...options.targets, ...existing],
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
  return { targets, packed, prompt: around(packed.text) };
}

function withoutTarget(strategy: ContextStrategy): ContextStrategy {
  return { ...strategy, required: strategy.required.filter((input) => input !== 'target') };
}
