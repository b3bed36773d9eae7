/** Shows why the agent of a run does not work yet, such as how far its workspace is. */
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { RunHistory } from '../../reports/runs/run-history.ts';

const EVERY_MS = 1000;

export type PreparationPorts = {
  readonly clock: Clock;
  readonly client: () => Pick<Client, 'statusOf'>;
  readonly history: () => RunHistory | undefined;
  /** Null: the agent works, or nothing is known. `times`: how often in a row there was a reason. */
  readonly show: (reason: string | null, times: number) => void;
};

/** Asks the owner once a second, until `signal` aborts. A refusal is no news: the screen shows it elsewhere. */
export async function watchPreparation(
  run: string,
  { clock, client, history, show }: PreparationPorts,
  signal: AbortSignal,
): Promise<void> {
  let times = 0;
  while (await clock.sleep(EVERY_MS, signal)) {
    if (!isBeforeStart(history())) {
      show(null, (times = 0));
      continue;
    }
    try {
      const { reason } = await client().statusOf(run);
      times = reason === null ? 0 : times + 1;
      if (!signal.aborted) show(reason, times);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

/** Before its first attempt, or before the agent of an attempt has started. */
function isBeforeStart(history: RunHistory | undefined): boolean {
  if (history === undefined || history.outcome !== null) return false;
  const last = history.attempts.at(-1);
  return last === undefined || (last.end === null && last.sandbox.backend === null);
}
