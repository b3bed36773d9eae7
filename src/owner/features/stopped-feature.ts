/** A feature whose run has ended: what had begun and is not done was stopped. */
import type { FeatureView } from '../../protocol/views/feature-view.ts';

const WAS_OPEN: ReadonlySet<string> = new Set([
  'implementing',
  'testing',
  'review',
  'merging',
  'in_progress',
]);

/** Nothing is in progress in a run that has ended. */
export function withStopped(view: FeatureView): FeatureView {
  return {
    ...view,
    state: ended(view.state),
    phases: view.phases.map(({ components, ...phase }) => ({
      ...{ ...phase, state: ended(phase.state) },
      components: components.map((one) => ({ ...one, state: ended(one.state) })),
    })),
  };
}

function ended<State extends string>(state: State): State | 'stopped' {
  return WAS_OPEN.has(state) ? 'stopped' : state;
}
