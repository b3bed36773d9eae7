/** Where the projects of a feature are on this machine. Refuses with the lines of the file what cannot be one of them. */
import { resolve } from 'node:path';
import type { FeatureProject } from '../protocol/feature.ts';
import { lies } from './read-projects.ts';
import { quote } from '../yaml/problem.ts';
import type { ReportFault } from './read-feature.ts';

export type FoundFolder =
  | {
      readonly kind: 'repository';
      /** Real paths: of the folder, and of the working tree that it belongs to. */
      readonly path: string;
      readonly root: string;
      /** The real path of what has its branches. Linked worktrees of one repository have the same. */
      readonly refs: string;
    }
  /** Why a feature cannot commit there. */
  | { readonly kind: 'unusable'; readonly why: string };

export type LocatedProject = { readonly name: string; readonly path: string };

/** `start`: the absolute path of the project that the feature starts in. Complete only if nothing was reported. */
export async function locateProjects(
  projects: readonly FeatureProject[],
  start: string,
  look: (path: string) => Promise<FoundFolder>,
  report: ReportFault,
): Promise<readonly LocatedProject[]> {
  const located: Placed[] = [];
  for (const { name, path } of projects) {
    const at = ['projects', name, 'path'];
    const found = await look(resolve(start, path));
    if (found.kind === 'unusable') {
      report(at, `the project ${quote(name)} cannot be built: ${found.why}`);
      continue;
    }
    const own = { name, path: found.path, root: found.root, refs: found.refs };
    for (const other of located) {
      const fault = whyTogether(own, other);
      if (fault !== undefined) report(at, fault);
    }
    located.push(own);
  }
  if (located.length === projects.length && !located.some(({ path }) => path === start))
    report(
      ['projects'],
      `none of these projects is ${start}: start the feature in one of them, or name it with --project`,
    );
  return located.map(({ name, path }) => ({ name, path }));
}

type Placed = LocatedProject & { readonly root: string; readonly refs: string };

/** Each project has a branch of the same name, so two of them cannot be in one repository. */
function whyTogether(own: Placed, other: Placed): string | undefined {
  if (own.root === other.root)
    return `the projects ${quote(other.name)} and ${quote(own.name)} are in the same repository, ${own.root}: make them one project`;
  if (own.refs === other.refs)
    return `the projects ${quote(other.name)} and ${quote(own.name)} are in two worktrees of the same repository, ${own.refs}, which share every branch: make them one project`;
  if (own.root.startsWith(`${other.root}/`)) return lies(own.name, other.name);
  return other.root.startsWith(`${own.root}/`) ? lies(other.name, own.name) : undefined;
}
