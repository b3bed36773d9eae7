/** The other names of a file: those under which links of the tree lead to it. */
import { posix } from 'node:path';

/** A symlink of the tree, and the place in the tree that it leads to. */
export type NamedLink = { readonly at: string; readonly to: string };

/** An agent can make links by the thousand, and each file is looked up under each of its names. */
const NAMES_MAX = 100;
/** How many links in a row are followed. */
const HOPS_MAX = 4;

export type LinkNames = (path: string) => {
  /** The path itself first. */
  readonly names: readonly string[];
  /** Whether there are more names than are followed. */
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
    // A map that grows is walked to its new end, so links that lead to links are followed too.
    for (const [name, hop] of byTarget.size === 0 ? [] : hops) {
      if (hop === HOPS_MAX) break;
      for (const [target, rest] of targetsOf(name))
        for (const at of byTarget.get(target) ?? []) {
          const other = posix.join(at, rest);
          // A name that leads through the same link already is a circle.
          if (hops.has(other) || name.startsWith(`${at}/`)) continue;
          if (hops.size >= NAMES_MAX) return { names: [...hops.keys()], isCut: true };
          hops.set(other, hop + 1);
        }
    }
    return { names: [...hops.keys()], isCut: false };
  };
}

/** What a link may lead to so that this name is reached: the top, each folder above it, and itself. */
function targetsOf(name: string): readonly (readonly [target: string, rest: string])[] {
  const steps = name.split('/');
  return [
    ['.', name],
    ...steps.map((_, index): readonly [string, string] => [
      steps.slice(0, index + 1).join('/'),
      steps.slice(index + 1).join('/'),
    ]),
  ];
}
