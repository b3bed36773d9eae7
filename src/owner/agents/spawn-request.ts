/** Turns the request of `supervisor spawn` into the request that the configuration makes for its agents. */
import { defined } from '../../base/defined.ts';
import { Refusal } from '../../base/errors.ts';
import { shellWords } from '../../base/shell-words.ts';
import type { SpawnRequest } from '../../protocol/views/agent-view.ts';
import { AGENT_DEFAULTS, SpawnedAgent } from '../../settings/tree-config.ts';
import type { AgentRequest } from '../../settings/tree-config.ts';

/** `name` is used if the request names none. */
export function toAgentRequest(request: SpawnRequest, name: string): AgentRequest {
  const checked = SpawnedAgent.safeParse({
    name: request.name ?? name,
    assignment: request.assignment,
    agent: request.agent,
    model: request.model,
    commitments: (request.commitments ?? []).map(({ what, command }) => ({
      what,
      command: parseCommand(command),
    })),
    budgetUsd: request.budgetUsd,
    budgetTokens: request.budgetTokens,
    sandbox: request.sandbox,
    restart: request.restart,
    violations: request.violations,
    queue: request.queue === undefined ? undefined : { dir: request.queue },
  });
  if (!checked.success) {
    const [issue] = checked.error.issues;
    throw new Refusal({
      code: 'request.invalid',
      message: `${issue?.path.join('.') ?? 'the request'}: expected ${issue?.message ?? 'something else'}.`,
    });
  }
  const { budgetUsd, budgetTokens, ...requested } = checked.data;
  const { kind, onDone = requested.queue === undefined ? undefined : 'next' } = request;
  return {
    ...AGENT_DEFAULTS,
    ...defined({ ...requested, kind, onDone }),
    budget: { ...AGENT_DEFAULTS.budget, ...defined({ usd: budgetUsd, tokens: budgetTokens }) },
  };
}

function parseCommand(line: string): readonly string[] {
  const words = shellWords(line) ?? [];
  if (words.length > 0) return words;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(line)} is not a command: it is empty, or a quote is not closed.`,
    hint: 'Write it as in a shell, for example: --commitment "the tests pass=npm test"',
  });
}
