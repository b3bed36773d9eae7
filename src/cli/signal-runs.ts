/** Sends a signal to one or several runs, and prints their states. */
import type { Client } from '../client/client.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { statusText } from '../protocol/views/run-view.ts';
import type { CliContext } from './cli-context.ts';
import { forEachRun, jsonOfRuns, keyFor } from './find-runs.ts';
import type { KeyOption } from './options.ts';

type Options = KeyOption & { readonly json: boolean; readonly all: boolean };

/** Resolves with the exit code. `send` gets the idempotency key for its run. */
export async function signalRuns(
  context: CliContext,
  client: Client,
  references: readonly string[],
  { json, all, idempotencyKey }: Options,
  send: (run: string, key: string | undefined) => Promise<RunView>,
): Promise<number> {
  const selection = { references, all, ended: false };
  const { results, code } = await forEachRun(context, client, selection, (run) =>
    send(run, keyFor(idempotencyKey, selection, run)),
  );
  if (json) context.out(jsonOfRuns(selection, results));
  for (const view of json ? [] : results) context.out(`${view.id}  ${statusText(view)}\n`);
  return code;
}
