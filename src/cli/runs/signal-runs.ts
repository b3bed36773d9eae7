/** Sends a signal to one or several runs, and prints their states. */
import { plural } from '../../base/text.ts';
import type { Client } from '../../client/client.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { statusText } from '../../protocol/views/run-status.ts';
import type { RunStatusJson } from '../../public-json/status-document.ts';
import { statusDocument, statusOf } from '../../public-json/status-document.ts';
import type { CliContext } from '../cli-context.ts';
import type { AllOptions } from './find-runs.ts';
import { errorsOf, forEachRun, keyFor, reportRefused } from './find-runs.ts';
import { printJson } from '../json/print-json.ts';
import type { KeyOption } from '../options.ts';

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
  const { results, refused, code } = await forEachRun(
    context,
    client,
    selection,
    (run) => send(run, keyFor(idempotencyKey, selection, run)),
    wait,
  );
  if (json) printJson(context, statusDocument(results.map(signalledRun), errorsOf(refused)));
  else reportRefused(context, refused);
  for (const view of json ? [] : results)
    context.out(`${view.id}  ${statusText(view)}${withChildren(view)}\n`);
  return code;
}

/** How many runs it started: a stop or a pause of a run applies to them too. */
function withChildren({ children }: RunView): string {
  return children === 0 ? '' : `, with ${plural(children, 'child run', 'child runs')}`;
}

/** A run as a document that a command about it prints. */
export function signalledRun(view: RunView): RunStatusJson {
  // Its work can't be applied while it is active.
  return statusOf({ view, reason: view.outcome?.reason ?? null, applied: null });
}
