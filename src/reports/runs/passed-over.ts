import type { DecisionReason } from '../../protocol/contracts/attempt-contract.ts';

/** The agents that were passed over because of a limit, in words. Empty: there were none. */
export function describePassedOver(why: DecisionReason): string {
  const { passedOver = [] } = why.kind === 'first' || why.kind === 'switch' ? why : {};
  return passedOver
    .map(({ agent, until, isClosing }) => {
      const what = isClosing === true ? 'has too little of its limit left' : 'is cooling down';
      return `${agent} ${what} until ${new Date(until).toISOString()}`;
    })
    .join(', ');
}
