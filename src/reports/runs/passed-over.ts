import type { DecisionReason } from '../../protocol/contracts/attempt-contract.ts';

/** The agents that were passed over because they are cooling down, in words. Empty: there were none. */
export function describePassedOver(why: DecisionReason): string {
  const { passedOver = [] } = why.kind === 'first' || why.kind === 'switch' ? why : {};
  return passedOver
    .map(({ agent, until }) => `${agent} is cooling down until ${new Date(until).toISOString()}`)
    .join(', ');
}
