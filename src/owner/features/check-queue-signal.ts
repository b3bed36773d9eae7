/** Refuses a signal to a merge queue that could change nothing. */
import { Refusal } from '../../base/errors.ts';
import type { QueueSignal } from '../../plan/merge-holds.ts';
import type { FeatureComponentView, FeatureView } from '../../protocol/views/feature-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { viewFeature } from './feature-reports.ts';

export async function checkQueueSignal(
  journal: Journal,
  run: RunView,
  signal: QueueSignal,
  now: number,
): Promise<void> {
  const view = await viewFeature(journal, run, now);
  const message = whyRefused(view, signal);
  if (message === undefined) return;
  throw new Refusal({
    code: 'request.invalid',
    message,
    hint: `See the merge queue with: supervisor merges ${view.run}`,
  });
}

/** Undefined: nothing is wrong with it. */
export function whyRefused(
  { phases, held, queue }: Pick<FeatureView, 'phases' | 'held' | 'queue'>,
  { action, component }: QueueSignal,
): string | undefined {
  if (component === null) {
    if (action === 'skip') return 'Only one component can be skipped, not the whole queue.';
    const isHeld = action === 'hold';
    if (held.all !== isHeld) return undefined;
    return isHeld ? 'The merge queue is held already.' : 'The merge queue is not held.';
  }
  const all = phases.flatMap(({ components }) => components);
  const found = all.find(({ id }) => id === component);
  if (found === undefined) return `The feature has no component ${component}.`;
  const isHeld = held.components.includes(component);
  if (action === 'release') return isHeld ? undefined : `${found.name} is not held.`;
  if (isOver(found)) return `${found.name} is ${found.state}, so it is not merged any more.`;
  if (action === 'hold') return isHeld ? `${found.name} is held already.` : undefined;
  const isThere = queue.includes(component) || isHeld;
  return isThere && found.state !== 'implementing'
    ? undefined
    : `${found.name} is ${found.state}, and not in the merge queue.`;
}

function isOver({ state }: FeatureComponentView): boolean {
  return state === 'complete' || state === 'failed';
}
