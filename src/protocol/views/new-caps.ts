/** The budget of a run that a person resumes with other caps. */
import type { AttemptSettings } from '../pinned-settings.ts';
import type { BudgetView } from './budget-view.ts';

type Budgeted = Pick<AttemptSettings, 'budget'>;

function capOf({ budget: { run } }: Budgeted, limit: 'usd' | 'tokens' | 'wall'): number | null {
  return limit === 'wall' ? run.wallMs : run[limit];
}

/** A new cap counts as it is written: earlier raises of the old one are not added to it. Spent money stays spent. */
export function withNewCaps(view: BudgetView, before: Budgeted, after: Budgeted): BudgetView {
  const renewed = (['usd', 'tokens', 'wall'] as const).filter(
    (limit) => capOf(before, limit) !== capOf(after, limit),
  );
  if (renewed.length === 0) return view;
  const { over, raised, tokensCap } = view;
  const isRenewed = over?.scope === 'run' && renewed.some((limit) => limit === over.limit);
  const none = Object.fromEntries(renewed.map((limit) => [limit, 0]));
  return {
    ...view,
    over: isRenewed && over.because === 'spent' ? null : over,
    raised: { ...raised, run: { ...raised.run, ...none } },
    tokensCap: renewed.includes('tokens') ? null : tokensCap,
  };
}
