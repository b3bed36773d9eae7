/** Agents that a choice passes over: they are cooling down, or their window would close on the work. */
import type { DecisionReason, PassedOver } from '../../protocol/contracts/attempt-contract.ts';
import type { ClosingWindow } from '../../protocol/commands.ts';
import type { findCooldown } from './find-cooldown.ts';

type CooldownFound = NonNullable<ReturnType<typeof findCooldown>>;

type CandidateAgent = {
  readonly agent: string;
  readonly cooldown: CooldownFound | undefined;
  readonly closing: ClosingWindow | undefined;
};

/** Passed over until its window is reset. */
export function closingAgent({ agent, cooldown, closing }: CandidateAgent): PassedOver[] {
  return cooldown !== undefined || closing === undefined
    ? []
    : [{ agent, until: closing.resetAt, isClosing: true }];
}

export function coolingAgent({
  agent,
  cooldown,
}: CandidateAgent): (CooldownFound & { agent: string })[] {
  return cooldown === undefined ? [] : [{ ...cooldown, agent }];
}

/** If the same agent continues after its cooldown, that is not a switch. */
export function reasonForChoice(
  why: DecisionReason,
  agent: string,
  cooling: readonly PassedOver[],
): DecisionReason {
  if (why.kind === 'switch' && why.from === agent) return { kind: 'cooled-down' };
  // The agent that just failed is named by the switch itself.
  const passedOver = cooling
    .filter((one) => why.kind !== 'switch' || one.agent !== why.from)
    .map(({ agent: other, until, isClosing }) => ({
      ...{ agent: other, until },
      ...(isClosing === true ? { isClosing } : {}),
    }));
  const isChoice = why.kind === 'first' || why.kind === 'switch';
  return isChoice && passedOver.length > 0 ? { ...why, passedOver } : why;
}
