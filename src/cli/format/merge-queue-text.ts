/** The merge queue of a feature in a terminal: what has landed, what is being merged, what waits, and what is held. */
import { plural } from '../../base/text.ts';
import type { FeatureView } from '../../protocol/views/feature-view.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

export function formatMerges(context: CliContext, view: FeatureView): string {
  const { branch, landed, queue, held } = view;
  const nameOf = namesOf(view);
  const all = view.phases.flatMap(({ components }) => components);
  const done = landed.map(({ id, commit }, nth) => {
    const files = plural(all.find((one) => one.id === id)?.files.length ?? 0, 'file');
    return `${numbered(nth)}  ${paint(context, 'green', 'landed ')}  ${commit.slice(0, 10)}  ${nameOf(id)}, ${files}`;
  });
  const waiting = queue.map((id, nth) => {
    const isFirst = nth === 0 && !held.all;
    const word = isFirst ? paint(context, 'cyan', 'merging') : paint(context, 'dim', 'waiting');
    return `${numbered(landed.length + nth)}  ${word}  ${nameOf(id)}`;
  });
  const back = held.components.map(
    (id) => `     ${paint(context, 'yellow', 'held   ')}  ${nameOf(id)}`,
  );
  const lines = [...done, ...waiting, ...back];
  const empty = lines.length === 0 ? ['Nothing was merged yet.'] : [];
  const stands = held.all
    ? [`The queue is held. Release it with: supervisor merges release ${view.run}`]
    : [];
  return [
    paint(context, 'bold', branch),
    ...lines,
    ...empty,
    ...conflictLines(context, view),
    ...stands,
  ]
    .map((line) => `${line}\n`)
    .join('');
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
