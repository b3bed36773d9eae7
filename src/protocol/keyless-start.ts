/** An attempt that did not start because its run lacks a key. It is no attempt: nothing ran, and nothing was spent. */
import type { AttemptOutcome } from './contracts/attempt-contract.ts';
import type { CommandEnded } from './commands.ts';

export function lackedKey(outcome: AttemptOutcome): boolean {
  if (outcome.kind !== 'failed' || outcome.reason !== 'keys_missing') return false;
  return outcome.failure === undefined; // a classified failure shows that the agent ran
}

export function isKeylessStart({ command, end }: CommandEnded): boolean {
  return command === 'attempt' && end.kind === 'done' && lackedKey(end.result);
}
