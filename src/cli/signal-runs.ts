/** Sends a signal to one or several runs, and prints their states. */
import type { Client } from '../client/client.ts';
import type { RunView } from '../protocol/views/run-view.ts';
import { statusText } from '../protocol/views/run-status.ts';
import type { CliContext } from './cli-context.ts';
import type { AllOptions } from './find-runs.ts';
import { forEachRun, jsonOfRuns, keyFor } from './find-runs.ts';
import type { KeyOption } from './options.ts';

type Options = KeyOption & AllOptions & { readonly json: boolean };

/** Resolves with the exit code. `send` gets the idempotency key for its run. `wait` begins when all signals are sent. */
export async function signalRuns(
  context: CliContext,
  client: Client,
  references: readonly string[],
  { json, all, everywhere, idempotencyKey }: Options,
  send: (run: string, key: string | undefined) => Promise<RunView>,
  wait?: (signalled: RunView) => Promise<RunView>,
): Promise<number> {
  const selection = { references, all, everywhere, ended: false };
  const { results, code } = await forEachRun(
    context,
    client,
    selection,
    (run) => send(run, keyFor(idempotencyKey, selection, run)),
    wait,
  );
  if (json) context.out(jsonOfRuns(selection, results));
  for (const view of json ? [] : results) context.out(`${view.id}  ${statusText(view)}\n`);
  return code;
}
