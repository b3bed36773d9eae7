/** A possible cause of an attempt's end, and the line that shows it. */
import type { AgentError } from '../adapters/agent-event.ts';
import { defined } from '../base/defined.ts';
import type { EvidenceLine } from '../protocol/contracts/attempt-contract.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import type { AttemptEvidence, ModelCall } from './evidence.ts';
import { CLI_RULES } from './rules/cli-rules.ts';
import { PROVIDER_RULES } from './rules/provider-rules.ts';
import type { FailureRule } from './rules/rule.ts';
import { ruleForError, RULES_VERSION, rulesFrom } from './rules/rule.ts';

export type FailureCause = {
  readonly reason: FailureReason;
  readonly source: EvidenceLine['source'];
  readonly line: string;
  readonly rule: string;
  /** The error of the provider or the CLI. It may say when a limit ends. */
  readonly error?: AgentError;
  readonly bySignal?: boolean;
  /** The agent reports a limit that none of its calls shows. */
  readonly isUnproven?: boolean;
  /** The model whose price is unknown. */
  readonly model?: string;
};

const BUILT_IN_RULES = rulesFrom(`provider@${RULES_VERSION}`, PROVIDER_RULES);
const RULES_BY_CLI = new Map(
  Object.entries(CLI_RULES).map(([cli, data]) => [cli, rulesFrom(`${cli}@${RULES_VERSION}`, data)]),
);

/** The first rule that matches decides: the user's rules, then those of the CLI, then the built-in ones. */
export function rulesFor({ rules, cli }: AttemptEvidence): readonly FailureRule[] {
  return [...rules, ...(RULES_BY_CLI.get(cli) ?? []), ...BUILT_IN_RULES];
}

export function fromError(
  error: AgentError,
  source: EvidenceLine['source'],
  rules: readonly FailureRule[],
): FailureCause | undefined {
  const rule = ruleForError(rules, error);
  if (rule === undefined) return undefined;
  return { reason: rule.reason, source, line: describeError(error), rule: rule.id, error };
}

export function describeError({ status, message, code }: AgentError): string {
  return `${status === null ? '' : `HTTP ${status} `}${message || (code ?? '')}`;
}

/** A call that the gateway refused because no budget pays for it. */
export function fromBudget(calls: readonly ModelCall[]): FailureCause | undefined {
  const refused = calls.findLast(({ overBudget }) => overBudget !== null)?.overBudget;
  if (!refused) return undefined;
  const reason = refused.because === 'spent' ? 'budget' : 'price_unknown';
  const { message: line, model } = refused;
  return { reason, source: 'gateway', line, rule: 'gateway-budget', ...defined({ model }) };
}
