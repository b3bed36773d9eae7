/** Finds the other names of a file: the paths of symlinks in the tree that point to it. */
import { posix } from 'node:path';

/** A symlink of the tree, and the path in the tree that it points to. */
export type NamedLink = { readonly at: string; readonly to: string };

/** An agent can create thousands of links, and each file is looked up under each of its names. */
const NAMES_MAX = 100;
/** How many links in a row are followed. */
const HOPS_MAX = 4;

export type LinkNames = (path: string) => {
  /** The path itself first. */
  readonly names: readonly string[];
  /** Whether there are more names than this limit. */
  readonly isCut: boolean;
};

export function linkNames(links: readonly NamedLink[]): LinkNames {
  const byTarget = new Map<string, string[]>();
  for (const { at, to } of links) {
    const folder = to.replace(/\/+$/, '');
    const found = byTarget.get(folder);
    if (found === undefined) byTarget.set(folder, [at]);
    else found.push(at);
  }
  return (path) => {
    const hops = new Map([[path, 0]]);
    // Iteration of a map includes entries that are added meanwhile, so links to links are followed too.
    for (const [name, hop] of byTarget.size === 0 ? [] : hops) {
      if (hop === HOPS_MAX) break;
      for (const [target, rest] of possibleTargets(name))
        for (const at of byTarget.get(target) ?? []) {
          const other = posix.join(at, rest);
          // A name that already goes through the same link is a cycle.
          if (hops.has(other) || name.startsWith(`${at}/`)) continue;
          if (hops.size >= NAMES_MAX) return { names: [...hops.keys()], isCut: true };
          hops.set(other, hop + 1);
        }
    }
    return { names: [...hops.keys()], isCut: false };
  };
}

/** The link targets through which this name is reachable: the root, each parent folder, and the name itself. */
function possibleTargets(name: string): readonly (readonly [target: string, rest: string])[] {
  const steps = name.split('/');
  return [
    ['.', name],
    ...steps.map((_, index): readonly [string, string] => [
      steps.slice(0, index + 1).join('/'),
      steps.slice(index + 1).join('/'),
    ]),
  ];
}
