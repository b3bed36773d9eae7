import type { AttemptFacts } from '../protocol/contracts/attempt-contract.ts';
import type { AttemptEvidence } from './evidence.ts';
import { shellExitStatus } from './exit-status.ts';

/** The name of a conversation comes from the agent, so it is cut before it is stored. */
export const SESSION_CHARS_MAX = 500;

/** What the journal stores about an attempt, whether it is completed or has failed. */
export function attemptFacts({ transcript, changed, exit }: AttemptEvidence): AttemptFacts {
  const { session, usage } = transcript;
  return {
    session: session?.slice(0, SESSION_CHARS_MAX) ?? null,
    changed,
    usage:
      usage === null
        ? null
        : {
            inputTokens: usage.inputTokens,
            outputTokens: usage.outputTokens,
            costUsd: usage.costUsd,
          },
    exit: shellExitStatus(exit),
  };
}
