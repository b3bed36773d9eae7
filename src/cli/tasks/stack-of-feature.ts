/** Divides the commits of a feature into one branch for each phase, each on top of the one before. Pure. */
import { Refusal } from '../../base/errors.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';

export type StackedBranch = {
  readonly branch: string;
  /** The last commit of its phase. */
  readonly tip: string;
  /** The branch below it. Null: the one that the feature began with. */
  readonly base: string | null;
  readonly title: string;
  /** The titles of its components, in the order in which they have landed. */
  readonly components: readonly string[];
};

/** Phases of which nothing has landed are left out. */
export function stackOfFeature({
  feature,
  branch,
  phases,
  landed,
}: Pick<FeatureView, 'feature' | 'branch' | 'phases' | 'landed'>): readonly StackedBranch[] {
  const stack: StackedBranch[] = [];
  let used = 0;
  for (const [nth, { id, title, components }] of phases.entries()) {
    const own = new Map(components.map((one) => [one.id, one.title]));
    const commits = landed.filter((one) => own.has(one.id));
    const last = commits.at(-1);
    if (last === undefined) continue;
    const isInOrder = landed.slice(used, used + commits.length).every((one) => own.has(one.id));
    if (!isInOrder) throw mixed(id);
    used += commits.length;
    stack.push({
      branch: `${branch}-ph${nth + 1}`,
      tip: last.commit,
      base: stack.at(-1)?.branch ?? null,
      title: `${feature} ${id}: ${title}`,
      components: commits.map((one) => own.get(one.id) ?? one.id),
    });
  }
  return stack;
}

function mixed(phase: string): Refusal {
  return new Refusal({
    code: 'workspace.not-committable',
    message: `The commits of the phase ${phase} lie between those of other phases, so it cannot have a branch of its own.`,
    hint: 'Open one pull request for the whole feature: leave out --stacked.',
  });
}
