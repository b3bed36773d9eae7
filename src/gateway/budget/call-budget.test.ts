import { budgetConformance } from '../../../test/support/budget-conformance.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { localBudget } from './call-budget.ts';

budgetConformance('in the same process', async (pools, record) => ({
  budget: localBudget(pools, new ManualClock(), record),
  [Symbol.asyncDispose]: async () => {},
}));
