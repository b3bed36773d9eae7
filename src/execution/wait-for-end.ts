/** Waits for the end of an agent, and stops the agent when a person, a deadline, a time budget or the gateway requires it. */
import type { Invocation } from '../adapters/adapter.ts';
import type { Clock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import type { CommandContext } from '../engine/performer.ts';
import type { AttemptInput } from '../protocol/contracts/attempt-contract.ts';
import type { AttemptRun } from './attempt-run.ts';
import type { AttemptEnvironment, RunningAgent } from './environments/environment.ts';
import { timeBudgetEnd } from './time-budget-end.ts';

type EndConditions = Pick<AttemptInput, 'graceMs' | 'deadlineMs'> &
  Pick<Invocation, 'askSignal'> &
  Pick<AttemptEnvironment, 'giveUpSignal' | 'timeBudget'>;

export async function waitForEnd(
  running: RunningAgent,
  { graceMs, deadlineMs, askSignal, giveUpSignal, timeBudget }: EndConditions,
  { cancelSignal, killSignal }: Pick<CommandContext, 'cancelSignal' | 'killSignal'>,
  clock: Clock,
): Promise<Pick<AttemptRun, 'exit' | 'container' | 'stoppedBy' | 'timeSpent'>> {
  let stoppedBy: AttemptRun['stoppedBy'] = null;
  let timeSpent: AttemptRun['timeSpent'];
  const over = new AbortController();
  const stop = (by: AttemptRun['stoppedBy']): void => {
    if (over.signal.aborted) return;
    stoppedBy ??= by;
    running.stop(graceMs, askSignal).catch(kill);
  };
  // An error of the kill also rejects `ended`, which is awaited below.
  const kill = (): void => void running.kill().catch(() => undefined);
  const once = { once: true, signal: over.signal };
  cancelSignal.addEventListener('abort', () => stop('user'), once);
  killSignal.addEventListener('abort', kill, once);
  // The agent would only repeat calls that can't succeed. The cause is the failed call, not this stop.
  giveUpSignal.addEventListener('abort', () => stop(null), once);
  if (cancelSignal.aborted) stop('user'); // cancelled while the agent started
  if (killSignal.aborted) kill();
  if (deadlineMs !== null) {
    void clock.sleep(deadlineMs, over.signal).then((slept) => slept && stop('deadline'));
  }
  const watchTime = async (find: NonNullable<EndConditions['timeBudget']>): Promise<void> => {
    timeSpent = await timeBudgetEnd(find, clock, over.signal);
    if (timeSpent !== undefined) stop('time-budget');
  };
  if (timeBudget !== undefined) void watchTime(timeBudget);
  try {
    return { ...(await running.ended), stoppedBy, ...defined({ timeSpent }) };
  } finally {
    over.abort();
  }
}
