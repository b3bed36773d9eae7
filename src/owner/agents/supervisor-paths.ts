/** Where in the tree of supervisors an agent lives, from the top: `shop-1a2b3c`, `shop-1a2b3c/pool`, `shop-1a2b3c/team/web`. */
import { basename } from 'node:path';
import { hashText } from '../../base/hash-text.ts';
import type { TreePlace } from '../../protocol/tree-place.ts';
import type { AgentRecord } from './agent-registry.ts';

/** Where agents live that nobody has declared. */
export const POOL = 'pool';
const TOP = 'agents';

type SupervisorPlace = Extract<TreePlace, { readonly type: 'supervisor' }>;

/** One name for one project, which a person recognizes. */
export function projectPlace(project: string): string {
  const name = basename(project)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 40);
  return `${name === '' ? 'project' : name}-${hashText(project).slice(0, 6)}`;
}

/** The path of its supervisor inside its project; empty: directly below the project's. */
export function supervisorPath(
  { settings }: Pick<AgentRecord, 'settings'>,
  places: readonly TreePlace[],
): string {
  const { supervisor } = settings;
  if (supervisor === TOP) return '';
  const path = supervisor.slice(TOP.length + 1);
  // A supervisor that is declared no more: its agents live on, and fail alone.
  return isSupervisor(places, path) ? path : POOL;
}

/** What is pinned for an agent under that path. */
export function pinnedPlace(path: string): string {
  return path === '' ? TOP : `${TOP}/${path}`;
}

function isSupervisor(places: readonly TreePlace[], path: string): boolean {
  return places.some((place) => place.type === 'supervisor' && place.path === path);
}

export type PlannedChild =
  | { readonly kind: 'supervisor'; readonly place: SupervisorPlace }
  | { readonly kind: 'pool' }
  | { readonly kind: 'agent'; readonly record: AgentRecord };

/**
 * Who lives directly below a path, in the order of their start: as declared, then the others in the
 * order in which they came, and last the pool.
 */
export function plannedChildren(
  path: string,
  places: readonly TreePlace[],
  living: readonly AgentRecord[],
): readonly PlannedChild[] {
  const mine = living.filter((record) => supervisorPath(record, places) === path);
  const declared = places.flatMap((place): PlannedChild[] => {
    if (parentPath(place.path) !== path) return [];
    if (place.type === 'supervisor') return [{ kind: 'supervisor', place }];
    const record = mine.find(
      ({ settings }) => settings.declared && settings.name === lastSegment(place.path),
    );
    return record === undefined ? [] : [{ kind: 'agent', record }];
  });
  const named = new Set(declared.flatMap((one) => (one.kind === 'agent' ? [one.record] : [])));
  const others = mine.filter((record) => !named.has(record));
  return [
    ...declared,
    ...others.map((record): PlannedChild => ({ kind: 'agent', record })),
    ...(path === '' ? [{ kind: 'pool' } as const] : []),
  ];
}

export function parentPath(path: string): string {
  const cut = path.lastIndexOf('/');
  return cut === -1 ? '' : path.slice(0, cut);
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The place of a supervisor from the top. */
export function placeFromPath(project: string, path: string): string {
  return path === '' ? projectPlace(project) : `${projectPlace(project)}/${path}`;
}
