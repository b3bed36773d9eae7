/**
 * Applies the work of a run. The work of a run that did not succeed is applied only if the person wants that: at a
 * terminal after a question, elsewhere with `--even-if-failed`.
 */
import { isRefusal } from '../../base/errors.ts';
import { plural } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { Applied, ApplyRequest } from '../../protocol/api.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { Confirm } from '../ask/confirm.ts';
import { confirmAtTerminal, requireYes } from '../ask/confirm.ts';

export type ApplyOrAsk = {
  readonly json: boolean;
  readonly key: string | undefined;
  /** Whether the person says yes. Undefined: there is no terminal to ask at. */
  readonly ask?: Confirm | undefined;
};

const FILES_SHOWN_MAX = 20;

export async function applyOrAsk(
  context: CliContext,
  client: Client,
  id: string,
  request: ApplyRequest,
  { json, key, ask = confirmAtTerminal(context) }: ApplyOrAsk,
): Promise<Applied> {
  try {
    return await client.apply(id, request, key);
  } catch (error) {
    if (!isRefusal(error, 'workspace.run-failed') || json || ask === undefined) throw error;
    context.err(`${paint(context, 'yellow', 'warning:')} ${printable(error.message)}\n`);
    const { files } = await client.diff(id);
    context.err(`${listFiles(files.map(({ path }) => path))}\n`);
    const question = `Apply ${plural(files.length, 'file')} anyway?`;
    await requireYes(ask, question, 'Nothing was applied.');
    return client.apply(id, { ...request, evenIfFailed: true }, key);
  }
}

function listFiles(paths: readonly string[]): string {
  const more = paths.length - FILES_SHOWN_MAX;
  return [
    ...paths.slice(0, FILES_SHOWN_MAX).map((path) => `  ${printable(path).replaceAll('\n', ' ')}`),
    ...(more > 0 ? [`  and ${plural(more, 'more file')}`] : []),
  ].join('\n');
}
