/** What somebody asks for when they spawn an agent, as a wish like those of the configuration. */
import { Refusal } from '../base/errors.ts';
import { shellWords } from '../base/shell-words.ts';
import type { SpawnRequest } from '../protocol/life-view.ts';
import { agentWish } from '../protocol/to-tree-settings.ts';
import { Leaf } from '../protocol/tree-config.ts';
import type { AgentWish } from '../protocol/tree-settings.ts';

/** A request in the words of the configuration, so that both have the same defaults. */
export function wishOf(request: SpawnRequest, name: string): AgentWish {
  const { assignment, kind, agent, model, budgetUsd, queue, onDone } = request;
  const entry = Leaf.safeParse({
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
  if (entry.success) return agentWish(entry.data, (path) => path);
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
