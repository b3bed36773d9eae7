/** Stops a run whose person pressed Ctrl-C before the command could name it. */
import type { Client } from '../../client/client.ts';
import type { CliContext } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import { StopSignal } from '../watch/stop-signal.ts';

/** Resolves with the exit code. */
export async function stopDetached(
  context: CliContext,
  client: Client,
  run: string,
): Promise<number> {
  context.err(`Stopping run ${run}. To continue it: supervisor resume ${run}\n`);
  const tell = (text: string): void => context.err(`${text}\n`);
  await new StopSignal({ clock: context.clock, run, client: () => client, tell }).send('stop');
  return EXIT.interrupted;
}
