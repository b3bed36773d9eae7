/** Waits for the end of an agent, and stops the agent when a person, a deadline or the gateway requires it. */
import type { Invocation } from '../adapters/adapter.ts';
import type { Clock } from '../base/clock.ts';
import type { CommandContext } from '../engine/performer.ts';
import type { AttemptInput } from '../protocol/attempt-contract.ts';
import type { AttemptRun } from './attempt-run.ts';
import type { AttemptEnvironment, RunningAgent } from './environments/environment.ts';

type EndConditions = Pick<AttemptInput, 'graceMs' | 'deadlineMs'> &
  Pick<Invocation, 'askSignal'> &
  Pick<AttemptEnvironment, 'giveUpSignal'>;

export async function waitForEnd(
  running: RunningAgent,
  { graceMs, deadlineMs, askSignal, giveUpSignal }: EndConditions,
  { cancelSignal, killSignal }: Pick<CommandContext, 'cancelSignal' | 'killSignal'>,
  clock: Clock,
): Promise<Pick<AttemptRun, 'exit' | 'container' | 'stoppedBy'>> {
  let stoppedBy: AttemptRun['stoppedBy'] = null;
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
  try {
    return { ...(await running.ended), stoppedBy };
  } finally {
    over.abort();
  }
}
