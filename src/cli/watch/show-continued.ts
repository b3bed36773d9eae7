/** Shows a run that continues another one, until it ends. */
import type { RunView } from '../../protocol/views/run-view.ts';
import { statusDocument } from '../../public-json/status-document.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import type { OwnerConnection } from '../connect-owner.ts';
import { EXIT } from '../exit-codes.ts';
import { printJson } from '../json/print-json.ts';
import { reportWaits } from '../runs/report-waits.ts';
import { signalledRun } from '../runs/signal-runs.ts';
import { stopDetached } from '../runs/stop-detached.ts';
import type { EarlyInterrupt } from './early-interrupt.ts';
import { watchAsGuest } from './watch-as-guest.ts';
import { watchRun } from './watch-run.ts';

export type ContinuedOptions = {
  readonly detach: boolean;
  readonly json: boolean;
  readonly jsonStream: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
};

/** `run`: the run that was named. `view`: the same, or the new run that continues it. */
export async function showContinued(
  context: CliContext,
  connection: OwnerConnection,
  { run, view }: { readonly run: string; readonly view: RunView },
  { detach, json, jsonStream, verbose, quiet }: ContinuedOptions,
  early: EarlyInterrupt,
): Promise<number> {
  const isNew = view.id !== run;
  const interrupts = early.handOver();
  if (detach) {
    if (json) printJson(context, statusDocument([signalledRun(view)]));
    else context.out(`${view.id}\n`);
    if (interrupts > 0 && isNew) return stopDetached(context, connection.client, view.id);
    await reportWaits(context, connection.client, view.id);
    return EXIT.ok;
  }
  const options = { json: jsonStream ? 'stream' : json, verbose, quiet } as const;
  if (!isNew) return watchAsGuest(context, connection, view, options, interrupts > 0);
  if (context.terminal.isTty && !json && !quiet)
    context.err(`${paint(context, 'dim', `It continues run ${run}. Ctrl-C stops it.`)}\n`);
  return watchRun(context, connection, view, { ...options, interrupts });
}
