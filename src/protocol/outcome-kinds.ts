/** How a run can end. A page uses the words too, so they need no schema. */
export const OUTCOME_KINDS = [
  'succeeded', // the work is done and every declared gate is green
  'unverified', // the agent says it is done and no gate was declared
  'failed',
  'refused', // it could not even start
  'cancelled', // a user's stop
  'killed', // a user's kill
  'exhausted', // every agent, attempt or wait that the policy allows is used up
  'blocked', // only a person can continue
] as const;
