import type { AnswerKind } from '../protocol/answer.ts';
import type { Json } from '../base/json.ts';
import type { RoleFile } from '../settings/role-file.ts';

export type RoleGate = {
  readonly name: string;
  readonly command: string;
  readonly onFail: 'block' | 'retry' | 'warn';
};

/** A worker's part: what it is told, what it sees, how its answer looks, and how its work is checked. */
export type Role = {
  readonly name: string;
  readonly description: string;
  /** A CLI or the id of an agent; null leaves it to the settings. */
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
    /** Null leaves it to the strategy. */
    readonly tokenBudget: number | null;
  };
  readonly allowedTools: readonly string[];
  readonly gates: readonly RoleGate[];
  readonly strengths: readonly string[];
  readonly continuationTurns: number;
  readonly config: Readonly<Record<string, Json>>;
};

const TEMPLATE_DEFAULT = '_base';

/** `said` is a whole role: all of its files, merged and checked. */
export function toRole(
  name: string,
  said: RoleFile & { readonly description: string; readonly system_prompt: string },
): Role {
  const { context } = said;
  return {
    name,
    description: said.description,
    cli: said.cli ?? null,
    flags: said.flags,
    template: (said.template ?? TEMPLATE_DEFAULT).replace(/\.j2$/, ''),
    answer: said.answer,
    systemPrompt: said.system_prompt.trim().replaceAll(/\n{3,}/g, '\n\n'),
    context: {
      strategy: context.strategy ?? null,
      include: unique(context.include),
      alwaysInclude: unique(context.always_include),
      exclude: unique(context.exclude),
      gitDiff: context.git_diff ?? false,
      // a role that must not see the inside sees the outside only, whichever way it says so
      blind: context.blind ?? context.exclude.includes('$IMPLEMENTATION_INTERNALS'),
      tokenBudget: context.token_budget ?? null,
    },
    allowedTools: unique(said.allowed_tools),
    gates: said.gates.map(({ name, command, on_fail: onFail }) => ({ name, command, onFail })),
    strengths: unique(said.strengths),
    continuationTurns: said.continuation_turns,
    config: said.config as Role['config'], // out of YAML comes nothing but JSON
  };
}

/** A child may repeat what its parent says. */
function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)];
}
