/** Does what is left after a run, and tells the owner how it went: the notification of the end waits for that. */
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { errorFields } from '../../public-json/error-document.ts';
import { unprovenError } from '../../public-json/run-error.ts';
import type { RunConclusion } from '../../public-json/run-result.ts';
import type { AfterRun } from './after-run.ts';
import { afterRun } from './after-run.ts';
import type { CliContext } from '../cli-context.ts';
import { EXIT, exitCodeFor } from '../exit-codes.ts';

/** Refuses as `afterRun` does. */
export async function concludeRun(
  context: CliContext,
  client: Client,
  run: string,
  outcome: RunOutcome,
  after: AfterRun,
): Promise<RunConclusion & { readonly exit_code: number }> {
  const isAwaited = after.apply || after.requireGate;
  try {
    const { code, applyError } = await afterRun(context, client, run, outcome, after);
    const error = code === EXIT.ok ? null : (applyError ?? unprovenError(run));
    const conclusion = { exit_code: code, error, apply_error: applyError };
    if (isAwaited) await report(client, run, conclusion);
    return conclusion;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    const error = errorFields(thrown.data);
    const exitCode = exitCodeFor(thrown.data.code);
    await report(client, run, { exit_code: exitCode, error, apply_error: error });
    throw thrown;
  }
}

/** An owner that can't be told sends the notification without it, and says that it is unknown. */
async function report(client: Client, run: string, conclusion: RunConclusion): Promise<void> {
  await client.conclude(run, conclusion).catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
  });
}
