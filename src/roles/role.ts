import type { AnswerKind } from '../protocol/answer.ts';
import type { Json } from '../base/json.ts';
import type { OnFail } from '../settings/gate-config.ts';
import type { RoleFile } from '../settings/role-file.ts';

type RoleGate = {
  readonly name: string;
  readonly command: string;
  readonly onFail: OnFail;
};

/** A job description for an agent: instructions, visible files, form of the answer, and checks. */
export type Role = {
  readonly name: string;
  readonly description: string;
  /** A CLI or the id of an agent; null means that the settings decide. */
  readonly cli: string | null;
  readonly flags: readonly string[];
  readonly template: string;
  readonly answer: AnswerKind;
  readonly systemPrompt: string;
  readonly context: {
    readonly strategy: string | null;
    readonly include: readonly string[];
    readonly alwaysInclude: readonly string[];
    readonly exclude: readonly string[];
    readonly gitDiff: boolean;
    readonly blind: boolean;
    /** Null: the budget of the strategy. */
    readonly tokenBudget: number | null;
  };
  readonly allowedTools: readonly string[];
  readonly gates: readonly RoleGate[];
  readonly strengths: readonly string[];
  /** How long one attempt may take. Null: the role sets no limit. */
  readonly deadlineMs: number | null;
  readonly config: Readonly<Record<string, Json>>;
};

const TEMPLATE_DEFAULT = '_base';

/** `file` is a whole role: all of its files, merged and checked. */
export function toRole(
  name: string,
  file: RoleFile & { readonly description: string; readonly system_prompt: string },
): Role {
  const { context } = file;
  return {
    name,
    description: file.description,
    cli: file.cli ?? null,
    flags: file.flags,
    template: (file.template ?? TEMPLATE_DEFAULT).replace(/\.j2$/, ''),
    answer: file.answer,
    systemPrompt: file.system_prompt.trim().replaceAll(/\n{3,}/g, '\n\n'),
    context: {
      strategy: context.strategy ?? null,
      include: unique(context.include),
      alwaysInclude: unique(context.always_include),
      exclude: unique(context.exclude),
      gitDiff: context.git_diff ?? false,
      // Excluding the internals is another way to write `blind: true`.
      blind: context.blind ?? context.exclude.includes('$IMPLEMENTATION_INTERNALS'),
      tokenBudget: context.token_budget ?? null,
    },
    allowedTools: unique(file.allowed_tools),
    gates: file.gates.map(({ name, command, on_fail: onFail }) => ({ name, command, onFail })),
    strengths: unique(file.strengths),
    deadlineMs: file.deadline ?? null,
    config: file.config as Role['config'], // YAML values are always JSON
  };
}

/** A role can repeat items of the role that it extends. */
function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
