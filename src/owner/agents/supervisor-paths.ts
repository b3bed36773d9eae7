/**
 * The path of an agent's supervisor in the tree, such as `shop-1a2b3c`, `shop-1a2b3c/pool` or
 * `shop-1a2b3c/team/web`.
 */
import { basename } from 'node:path';
import { hashText } from '../../base/hash-text.ts';
import type { TreePlace } from '../../protocol/tree-place.ts';
import type { AgentRecord } from './agent-registry.ts';

/** The supervisor of agents that no configuration declares. */
export const POOL = 'pool';
const TOP = 'agents';

type SupervisorPlace = Extract<TreePlace, { readonly type: 'supervisor' }>;

/** A unique name for a project that a person recognizes. */
export function projectSegment(project: string): string {
  const name = basename(project)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 40);
  return `${name === '' ? 'project' : name}-${hashText(project).slice(0, 6)}`;
}

/**
 * The path of an agent's supervisor inside its project. Empty means the supervisor of the project
 * itself.
 */
export function supervisorPath(
  { settings }: Pick<AgentRecord, 'settings'>,
  places: readonly TreePlace[],
): string {
  const { supervisor } = settings;
  if (supervisor === TOP) return '';
  const path = supervisor.slice(TOP.length + 1);
  // The supervisor is no longer declared. Its agents continue in the pool, where each fails alone.
  return isSupervisor(places, path) ? path : POOL;
}

/** The value that is pinned into an agent whose supervisor has this path. */
export function pinnedPath(path: string): string {
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
 * The direct children of a path, in the order of their start: declared ones, then the others in the
 * order of their spawn, then the pool.
 */
export function plannedChildren(
  path: string,
  places: readonly TreePlace[],
  living: readonly AgentRecord[],
): readonly PlannedChild[] {
  const direct = living.filter((record) => supervisorPath(record, places) === path);
  const declared = places.flatMap((place): PlannedChild[] => {
    if (parentPath(place.path) !== path) return [];
    if (place.type === 'supervisor') return [{ kind: 'supervisor', place }];
    const record = direct.find(
      ({ settings }) => settings.declared && settings.name === lastSegment(place.path),
    );
    return record === undefined ? [] : [{ kind: 'agent', record }];
  });
  const named = new Set(declared.flatMap((one) => (one.kind === 'agent' ? [one.record] : [])));
  const undeclared = direct.filter((record) => !named.has(record));
  return [
    ...declared,
    ...undeclared.map((record): PlannedChild => ({ kind: 'agent', record })),
    ...(path === '' ? [{ kind: 'pool' } as const] : []),
  ];
}

export function parentPath(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The path of a supervisor in the whole tree. */
export function treePath(project: string, path: string): string {
  return path === '' ? projectSegment(project) : `${projectSegment(project)}/${path}`;
}
