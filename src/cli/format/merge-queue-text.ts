/** The merge queue of a feature in a terminal: what has landed, what is being merged, what waits, and what is held. */
import { plural } from '../../base/text.ts';
import type { FeatureComponentView, FeatureView } from '../../protocol/views/feature-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

/** A feature that spans projects has a queue for each of them. */
export function formatMerges(context: CliContext, view: FeatureView): string {
  const { branch, projects, held } = view;
  const stands = held.all
    ? [`The queue is held. Release it with: supervisor merges release ${view.run}`]
    : [];
  const queues =
    projects.length === 0
      ? [paint(context, 'bold', branch), ...queueLines(context, view, view.queue, () => true)]
      : projects.flatMap(({ name, path, queue }) => [
          `${paint(context, 'bold', name)}  ${printable(path)}  ${branch}`,
          ...queueLines(context, view, queue, ({ project }) => project === name),
        ]);
  return [...queues, ...conflictLines(context, view), ...stands]
    .map((line) => `${line}\n`)
    .join('');
}

function queueLines(
  context: CliContext,
  view: FeatureView,
  queue: readonly string[],
  isOfQueue: (component: FeatureComponentView) => boolean,
): readonly string[] {
  const { held } = view;
  const nameOf = namesOf(view);
  const own = view.phases.flatMap(({ components }) => components).filter(isOfQueue);
  const isOwn = (id: string): boolean => own.some((one) => one.id === id);
  const landed = view.landed.filter(({ id }) => isOwn(id));
  const done = landed.map(({ id, commit }, nth) => {
    const files = plural(own.find((one) => one.id === id)?.files.length ?? 0, 'file');
    return `${numbered(nth)}  ${paint(context, 'green', 'landed ')}  ${commit.slice(0, 10)}  ${nameOf(id)}, ${files}`;
  });
  const waiting = queue.map((id, nth) => {
    const isFirst = nth === 0 && !held.all;
    const word = isFirst ? paint(context, 'cyan', 'merging') : paint(context, 'dim', 'waiting');
    return `${numbered(landed.length + nth)}  ${word}  ${nameOf(id)}`;
  });
  const back = held.components
    .filter(isOwn)
    .map((id) => `     ${paint(context, 'yellow', 'held   ')}  ${nameOf(id)}`);
  const lines = [...done, ...waiting, ...back];
  return lines.length === 0 ? ['Nothing was merged yet.'] : lines;
}

/** Work that may not fit together, seen before it is merged. */
export function conflictLines(
  context: CliContext,
  view: Pick<FeatureView, 'phases' | 'conflicts'>,
): readonly string[] {
  const nameOf = namesOf(view);
  return view.conflicts.map(({ components: [one, other], file }) => {
    const pair = `${nameOf(one)} and ${nameOf(other)}`;
    return `${paint(context, 'yellow', '!')} ${pair} may be in conflict: both change ${printable(file)}`;
  });
}

function namesOf({ phases }: Pick<FeatureView, 'phases'>): (id: string) => string {
  const names = new Map(
    phases.flatMap(({ components }) => components.map(({ id, name }) => [id, name] as const)),
  );
  return (id) => names.get(id) ?? id;
}

function numbered(nth: number): string {
  return String(nth + 1).padStart(3);
}
