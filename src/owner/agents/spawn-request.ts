/** What somebody asks for when they spawn an agent, as a wish like those of the configuration. */
import { Refusal } from '../../base/errors.ts';
import { shellWords } from '../../base/shell-words.ts';
import type { SpawnRequest } from '../../protocol/views/agent-view.ts';
import { agentRequest } from '../../settings/to-tree-settings.ts';
import { TreeAgentEntry } from '../../settings/tree-config.ts';
import type { AgentRequest } from '../../settings/tree-settings.ts';

/** A request in the words of the configuration, so that both have the same defaults. */
export function toAgentRequest(request: SpawnRequest, name: string): AgentRequest {
  const { assignment, kind, agent, model, budgetUsd, queue, onDone } = request;
  const entry = TreeAgentEntry.safeParse({
    name: request.name ?? name,
    assignment,
    ...(kind === undefined ? {} : { kind }),
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(budgetUsd === undefined ? {} : { budget: { usd: budgetUsd } }),
    ...(queue === undefined ? {} : { queue: { dir: queue } }),
    ...(onDone === undefined ? {} : { on_done: onDone }),
    commitments: (request.commitments ?? []).map(({ what, command }) => ({
      what,
      command: wordsOf(command),
    })),
  });
  if (entry.success) return agentRequest(entry.data, (path) => path);
  const [issue] = entry.error.issues;
  throw new Refusal({
    code: 'request.invalid',
    message: `${issue?.path.join('.') ?? 'the request'}: expected ${issue?.message ?? 'something else'}.`,
  });
}

function wordsOf(line: string): readonly string[] {
  const words = shellWords(line) ?? [];
  if (words.length > 0) return words;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(line)} is no command: it is empty, or a quote is not closed.`,
    hint: 'Write it as in a shell, such as: --commit "the tests pass=npm test"',
  });
}
