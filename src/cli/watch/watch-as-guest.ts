/** Watches a run that this command did not start. The person leaves with q or Ctrl-C, and the run continues. */
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import { EXIT, EXIT_BY_SIGNAL } from '../exit-codes.ts';
import type { OwnerConnection } from '../connect-owner.ts';
import type { WatchOptions } from './watch-options.ts';
import { watchRun } from './watch-run.ts';

/**
 * Resolves with the exit code: that of the run if it ends meanwhile, that of the signal, or 0 after q. `isInterrupted`: the
 * person has left already.
 */
export async function watchAsGuest(
  context: CliContext,
  connection: OwnerConnection,
  view: RunView,
  options: Omit<WatchOptions, 'leave'>,
  isInterrupted = false,
): Promise<number> {
  const left = new AbortController();
  let code: number = EXIT.ok;
  if (isInterrupted) {
    code = EXIT.interrupted;
    left.abort();
  }
  const leave = (): void => left.abort();
  const forget = [
    context.onInterrupt((signal) => {
      code = EXIT_BY_SIGNAL[signal];
      leave();
    }),
    context.onKey('q', leave),
    context.onReaderGone(leave),
  ];
  if (context.terminal.isTty && options.json === false && options.quiet !== true)
    context.err(`${paint(context, 'dim', 'Press q or Ctrl-C to leave. The run continues.')}\n`);
  try {
    return await watchRun(context, connection, view, {
      ...options,
      leave: { signal: left.signal, code: () => code },
    });
  } finally {
    for (const one of forget) one();
  }
}
