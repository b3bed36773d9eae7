import { budgetConformance } from '../../../test/support/budget-conformance.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { budgetOf } from './call-budget.ts';

budgetConformance('in the same process', async (purses, record) => ({
  budget: budgetOf(purses, new ManualClock(), record),
  [Symbol.asyncDispose]: async () => {},
}));
