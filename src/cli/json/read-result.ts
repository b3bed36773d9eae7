/** The result of a run that a command has watched. */
import { isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { RunResult } from '../../public-json/run-result.ts';
import { runResult } from '../../public-json/run-result.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';
import { exitCodeOf } from '../exit-codes.ts';

/** What was received of the run: undefined before its first fact. */
export type WatchedFacts = {
  readonly history: RunHistory | undefined;
  readonly view: RunView | undefined;
};

/** The owner may have ended with the run. Then the result is computed from the facts that were received. */
export async function readResult(
  client: Client,
  run: string,
  { history, view }: WatchedFacts,
): Promise<RunResult> {
  try {
    return await client.result(run);
  } catch (error) {
    const isGone = isRefusal(error, 'owner.unreachable') || isRefusal(error, 'owner.closing');
    const outcome = history?.outcome ?? null;
    if (!isGone || history === undefined || outcome === null) throw error;
    return runResult(history, {
      state: outcome.kind,
      exitCode: exitCodeOf(outcome),
      answer: view?.answer ?? null,
      artifacts: [],
      files: null,
      workflow: view?.workflow ?? null,
      stepRuns: [],
      applied: null,
    });
  }
}
