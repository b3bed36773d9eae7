import type { FeatureView } from '../../../src/protocol/views/feature-view.ts';

export type FeatureComponent = FeatureView['phases'][number]['components'][number];

type Look = readonly [sign: string, look: string, word: string];

const LOOKS: Readonly<Record<FeatureComponent['state'], Look>> = {
  pending: ['○', 'stopped', 'waits'],
  implementing: ['●', 'working', 'at work'],
  testing: ['●', 'working', 'gates on the merged work'],
  review: ['◆', 'needs', 'asks you'],
  merging: ['⇥', 'working', 'is merged'],
  complete: ['✔', 'good', 'landed'],
  failed: ['✖', 'bad', 'failed'],
  stopped: ['■', 'stopped', 'stopped'],
};

/** Work that a person holds back is finished, and not merged. */
export function lookOf({ state }: Pick<FeatureComponent, 'state'>, isHeld = false): Look {
  return isHeld && state === 'merging' ? ['◆', 'needs', 'finished, and held back'] : LOOKS[state];
}

export function componentsOf(view: FeatureView): readonly FeatureComponent[] {
  return view.phases.flatMap(({ components }) => components);
}

/** With its project, if the feature spans several. */
export function fullName({ name, project }: Pick<FeatureComponent, 'name' | 'project'>): string {
  return project === null ? name : `${project}: ${name}`;
}

/** The components whose work is merged now: the first of each queue. */
export function mergedNow({
  projects,
  queue,
}: Pick<FeatureView, 'projects' | 'queue'>): ReadonlySet<string> {
  const queues = projects.length === 0 ? [queue] : projects.map((one) => one.queue);
  return new Set(queues.flatMap(([first]) => first ?? []));
}
