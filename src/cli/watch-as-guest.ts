/** Watches a run that this command did not start. The person leaves with q or Ctrl-C, and the run continues. */
import type { RunView } from '../protocol/views/run-view.ts';
import type { CliContext } from './cli-context.ts';
import { paint } from './cli-context.ts';
import type { OwnerConnection } from './connect-owner.ts';
import type { WatchOptions } from './watch-run.ts';
import { watchRun } from './watch-run.ts';

/** Resolves with the exit code: that of the run if it ends meanwhile, or 0. */
export async function watchAsGuest(
  context: CliContext,
  connection: OwnerConnection,
  view: RunView,
  options: Omit<WatchOptions, 'leave'>,
): Promise<number> {
  const left = new AbortController();
  const forget = [context.onInterrupt(() => left.abort()), context.onKey('q', () => left.abort())];
  if (context.terminal.isTty && options.json === false && options.quiet !== true)
    context.err(`${paint(context, 'dim', 'Press q or Ctrl-C to leave. The run continues.')}\n`);
  try {
    return await watchRun(context, connection, view, { ...options, leave: left.signal });
  } finally {
    for (const one of forget) one();
  }
}
