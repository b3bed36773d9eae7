/** Conflicts that can be seen before a merge: files that one component has changed and another one may change. */
import type { Component } from '../protocol/feature.ts';
import { sharesProject } from '../protocol/feature.ts';
import { findCovered } from './patterns-overlap.ts';

type Declared = Pick<Component, 'id' | 'touches' | 'project'>;
type Touched = ReadonlyMap<string, readonly string[]>;

/** A file that one of them has changed, and that the other one has changed or may change. */
export function findChanged(one: Declared, other: Declared, touched: Touched): string | undefined {
  if (!sharesProject(one, other)) return undefined;
  const [ones, others] = [touched.get(one.id) ?? [], touched.get(other.id) ?? []];
  if (ones.length === 0 && others.length === 0) return undefined;
  const changed = new Set(others);
  return (
    findCovered(others, one.touches) ??
    findCovered(ones, other.touches) ??
    ones.find((file) => changed.has(file))
  );
}

export type PreviewedConflict = {
  readonly ids: readonly [one: string, other: string];
  readonly file: string;
};

/** Pairs of these components whose work may not fit together, in their order. */
export function previewConflicts(
  components: readonly Declared[],
  touched: Touched,
): readonly PreviewedConflict[] {
  return components.flatMap((one, nth) =>
    components.slice(nth + 1).flatMap((other): readonly PreviewedConflict[] => {
      const file = findChanged(one, other, touched);
      return file === undefined ? [] : [{ ids: [one.id, other.id], file }];
    }),
  );
}

/** Declared paths and patterns that no changed file matches. */
export function findUnused(
  touches: readonly string[],
  files: readonly string[],
): readonly string[] {
  return touches.filter((pattern) => findCovered(files, [pattern]) === undefined);
}

/** Changed files that no declared path or pattern covers. */
export function undeclaredOf(
  touches: readonly string[],
  files: readonly string[],
): readonly string[] {
  return files.filter((file) => findCovered([file], touches) === undefined);
}
