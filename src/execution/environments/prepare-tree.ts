/**
 * Prepares a tree for an agent or a gate: its own copy of the setup's result, and of the files that
 * the user grants. One function for both, so that a check has everything that the agent had.
 */
import { join } from 'node:path';
import { copyTree } from '../../host/files/tree/copy-tree.ts';
import { realPathSync } from '../../host/files/real-path.ts';
import { readPath } from '../../host/files/tree/read-tree.ts';
import { makeFolder } from '../../host/files/tree/write-tree.ts';
import type { PinnedSandbox } from '../../protocol/pinned-settings.ts';
import type { Backend, Mount } from '../../sandbox/policy.ts';
import type { DeclaredGrant, ResolvedGrant } from '../../workspace/user-grants.ts';
import { resolveGrants } from '../../workspace/user-grants.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { isPrepared, markPrepared } from '../../workspace/setups/prepared.ts';
import { laySetup } from '../../workspace/setups/setup-store.ts';
import { PROJECT_INSIDE } from '../../attempts/setup-outcome.ts';

export type GrantedTo = {
  readonly grants: readonly ResolvedGrant[];
  /** To be shown at their own path, not to be changed. */
  readonly read: readonly string[];
  /** To be looked through for programs, before the system's own. */
  readonly path: readonly string[];
  /** A line each, for the record. */
  readonly record: readonly string[];
};

/** `root` is the user's own project. Refuses a grant that would hand over a secret or a way out. */
export function grantedTo(
  { grants: { toolchains, files, gitIdentity } }: Pick<PinnedSandbox, 'grants'>,
  places: { readonly userDir: string; readonly stateDir: string; readonly root: string },
): GrantedTo {
  const declared: DeclaredGrant[] = [
    ...toolchains.map((path) => ({ kind: 'toolchain', path }) as const),
    ...files.map((path) => ({ kind: 'project-file', path }) as const),
    ...(gitIdentity === null ? [] : [{ kind: 'git-identity', ...gitIdentity } as const]),
  ];
  const { userDir: userHome, stateDir: home, root } = places;
  const grants = resolveGrants(declared, { userHome, home, root, realPath: realPathSync });
  const read = grants.flatMap((grant) => (grant.kind === 'mount-read-only' ? [grant.path] : []));
  return { grants, read, path: read.flatMap(programsIn), record: grants.map(inWords) };
}

/** A toolchain keeps its programs in its `bin`, or is such a folder itself. */
function programsIn(folder: string): readonly string[] {
  const own = join(folder, 'bin');
  if (realPathSync(own) !== undefined) return [own];
  return [folder];
}

function inWords(grant: ResolvedGrant): string {
  switch (grant.kind) {
    case 'mount-read-only':
      return `toolchain ${grant.path}`;
    case 'copy':
      return `file ${grant.to}`;
    case 'git-identity':
      return `git identity ${grant.name} <${grant.email}>`;
  }
}

const FILE_BOUNDS = { entriesMax: 1000, bytesMax: 10_000_000 };

export type TreeRequest = {
  /** No process may work in it. */
  readonly tree: string;
  readonly stateDir: string;
  /** The name of a setup's result; null when there is none. */
  readonly setup: string | null;
  readonly granted: GrantedTo;
};

/** The paths that were copied, which do not count as work. */
export async function prepareTree({
  tree,
  stateDir,
  setup,
  granted,
}: TreeRequest): Promise<readonly string[]> {
  const { laid } = setup === null ? { laid: [] } : await laySetup(stateDir, setup, tree);
  const files: string[] = [];
  for (const grant of granted.grants) {
    if (grant.kind !== 'copy') continue;
    const folder = grant.to.slice(0, Math.max(grant.to.lastIndexOf('/'), 0));
    if (!(await makeFolder(tree, folder))) continue;
    if ((await readPath(tree, grant.to, 0)).kind !== 'absent') continue; // the tree has its own
    await copyTree(grant.from, join(tree, grant.to), FILE_BOUNDS);
    files.push(grant.to);
  }
  return [...laid, ...files];
}

/** The same for a workspace, once: what an agent has done to it since is its own. */
export async function prepareWorkspace(
  { place, work }: Pick<Workspace, 'place' | 'work'>,
  wish: Omit<TreeRequest, 'tree'>,
): Promise<void> {
  if (await isPrepared(place)) return;
  await markPrepared(place, await prepareTree({ ...wish, tree: work }));
}

/** What was set up finds itself where it was made. */
export function setupMounts(
  setup: string | null,
  tree: string,
  backend: Backend,
): readonly Mount[] {
  if (setup === null || backend === 'seatbelt' || backend === 'none') return [];
  return [{ from: tree, to: PROJECT_INSIDE, mode: 'rw' }];
}
