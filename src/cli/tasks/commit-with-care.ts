/** Commits the work of a task on its branch. What runs by itself, settings and tests have a question of their own. */
import { isRefusal, Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { ApplyRequest } from '../../protocol/api.ts';
import { applyOrAsk } from '../apply/apply-or-ask.ts';
import { confirmAtTerminal, requireYes } from '../ask/confirm.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const EVERYTHING = { includeExecuting: true, includeSettings: true, includeTests: true };

export async function commitWithCare(
  context: CliContext,
  client: Client,
  id: string,
  request: ApplyRequest,
  { json, yes }: { readonly json: boolean; readonly yes: boolean },
): Promise<void> {
  const how = { json, key: undefined };
  const ask = json || yes ? undefined : confirmAtTerminal(context);
  try {
    await applyOrAsk(context, client, id, request, how);
  } catch (error) {
    if (!isRefusal(error, 'workspace.needs-approval')) throw error;
    const { message, details } = error.data;
    const command = `supervisor complete-task ${id} --yes ${String(details?.['flags'] ?? '')}`;
    const hint = `Review them with: supervisor diff ${id}. Commit them too with: ${command.trim()}`;
    if (ask === undefined) throw new Refusal({ ...error.data, hint });
    context.err(`${paint(context, 'yellow', 'warning:')} ${printable(message)}\n`);
    await requireYes(ask, 'Commit them too?', 'Nothing was committed.');
    await applyOrAsk(context, client, id, { ...request, ...EVERYTHING }, how);
  }
}
