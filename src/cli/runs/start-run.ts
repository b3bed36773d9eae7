/** Submits a run and watches it until it ends, or prints its id and returns. */
import { withLocalTimes } from '../../base/format-time.ts';
import { describeLogin } from '../../protocol/words/login-expiry.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { statusDocument } from '../../public-json/status-document.ts';
import type { AfterRun } from './after-run.ts';
import type { CliContext } from '../cli-context.ts';
import { paint } from '../cli-context.ts';
import type { OwnerConnection } from '../connect-owner.ts';
import { EXIT } from '../exit-codes.ts';
import { EarlyInterrupt } from '../watch/early-interrupt.ts';
import { stopDetached } from './stop-detached.ts';
import { printJson } from '../json/print-json.ts';
import { sendWithSetup } from '../init/propose-setup.ts';
import { reportWaits, warnOfSmallBudget } from './report-waits.ts';
import { signalledRun } from './signal-runs.ts';
import { takeOverRun } from '../takeover/take-over-run.ts';
import { suggestInit } from '../init/suggest-init.ts';
import { watchRun } from '../watch/watch-run.ts';

export type StartOptions = AfterRun & {
  /** False: nothing is asked, even at a terminal. */
  readonly ask: boolean;
  readonly detach: boolean;
  readonly jsonStream: boolean;
  readonly follow: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
};

/** Resolves with the exit code. */
export async function startRun(
  context: CliContext,
  connection: OwnerConnection,
  request: RunRequest,
  options: StartOptions,
): Promise<number> {
  const { client } = connection;
  using early = new EarlyInterrupt(context);
  const send = (one: RunRequest): Promise<RunView> =>
    early.during(() => client.submit(one, options.idempotencyKey));
  const view = options.ask ? await sendWithSetup(context, request, send) : await send(request);
  const now = context.clock.now();
  const notice = describeLogin(view.login, now);
  if (notice !== null)
    context.err(paint(context, 'yellow', `Note: ${withLocalTimes(notice, now)}.\n`));
  await early.unlessInterrupted(() => warnOfSmallBudget(context, client, view.id));
  const json = options.jsonStream ? ('stream' as const) : options.json;
  if (json === false && !options.quiet)
    await early.unlessInterrupted(() => suggestInit(context, request.project, request.gates ?? []));
  const { follow, verbose, quiet } = options;
  if (!options.detach) {
    const interrupts = early.handOver();
    const how = { json, follow, verbose, quiet, interrupts } as const;
    if (request.interactive !== true || interrupts > 0)
      return await watchRun(context, connection, view, how, options);
    const wanted = { shell: false, joins: true };
    const handed = await takeOverRun(context, connection, view.id, wanted);
    if (handed.kind === 'left') return handed.code;
    const now = { ...connection, client: handed.client };
    return await watchRun(context, now, view, how, options);
  }
  const wasInterrupted = early.handOver() > 0;
  if (json === false) context.out(`${view.id}\n`);
  else printJson(context, statusDocument([signalledRun(view)]));
  if (wasInterrupted) return await stopDetached(context, client, view.id);
  await reportWaits(context, client, view.id);
  if (json !== false) return EXIT.ok;
  context.err(paint(context, 'dim', `Watch the run with: supervisor attach ${view.id}\n`));
  return EXIT.ok;
}
