/** How an attempt ends: by itself, or because a person, a deadline or a fault ends it. */
import type { Invocation } from '../adapters/adapter.ts';
import type { Clock } from '../base/clock.ts';
import type { CommandContext } from '../engine/performer.ts';
import type { AttemptEnvironment, EndedAgent, RunningAgent } from './environments/environment.ts';
import type { AttemptInput } from '../protocol/attempt-contract.ts';

export type StoppedAttempt = EndedAgent & { readonly by: 'itself' | 'user' | 'deadline' };

type Patience = Pick<AttemptInput, 'graceMs' | 'deadlineMs'> &
  Pick<Invocation, 'askSignal'> &
  Pick<AttemptEnvironment, 'giveUpSignal'>;

/** Waits for the end, and causes it if a person asks, the time is up, or no model will answer. */
export async function endOfAttempt(
  running: RunningAgent,
  { graceMs, deadlineMs, askSignal, giveUpSignal }: Patience,
  errand: CommandContext,
  clock: Clock,
): Promise<StoppedAttempt> {
  let by: StoppedAttempt['by'] = 'itself';
  const over = new AbortController();
  const stop = (who: StoppedAttempt['by']): void => {
    if (over.signal.aborted) return;
    if (by === 'itself') by = who;
    running.stop(graceMs, askSignal).catch(kill);
  };
  // What goes wrong in it goes wrong in `ended` as well, which is awaited below.
  const kill = (): void => void running.kill().catch(() => undefined);
  const once = { once: true, signal: over.signal };
  errand.cancelSignal.addEventListener('abort', () => stop('user'), once);
  errand.killSignal.addEventListener('abort', kill, once);
  // It would only try again what can't go well; that it was us is no part of why it failed.
  giveUpSignal.addEventListener('abort', () => stop('itself'), once);
  if (errand.cancelSignal.aborted) stop('user'); // called off while it was being started
  if (errand.killSignal.aborted) kill();
  if (deadlineMs !== null) {
    void clock.sleep(deadlineMs, over.signal).then((slept) => slept && stop('deadline'));
  }
  try {
    return { ...(await running.ended), by };
  } finally {
    over.abort();
  }
}
