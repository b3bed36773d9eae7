/**
 * Prepares a tree for an agent or a gate: its own copy of the setup's result, and of the files that
 * the user grants. One function for both, so that a check has everything that the agent had.
 */
import { join } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { copyTree } from '../../host/files/tree/copy-tree.ts';
import { realPathSync } from '../../host/files/real-path.ts';
import { readPath } from '../../host/files/tree/read-tree.ts';
import { makeFolder, removeTree } from '../../host/files/tree/write-tree.ts';
import type { PinnedSandbox } from '../../protocol/pinned-settings.ts';
import type { Backend, Mount } from '../../sandbox/policy.ts';
import type { DeclaredGrant, ResolvedGrant } from '../../workspace/user-grants.ts';
import { resolveGrants } from '../../workspace/user-grants.ts';
import type { Workspace } from '../../workspace/create-workspace.ts';
import { isPrepared, markPrepared } from '../../workspace/setups/prepared.ts';
import { placeSetup } from '../../workspace/setups/setup-store.ts';
import { PROJECT_INSIDE } from '../../attempts/gates/setup-outcome.ts';

export type GrantedTo = {
  readonly grants: readonly ResolvedGrant[];
  /** Paths that are mounted read-only at the same path. */
  readonly read: readonly string[];
  /** Folders with programs, searched before those of the system. */
  readonly path: readonly string[];
  /** One line per grant, for the journal. */
  readonly record: readonly string[];
};

/** `root` is the user's project. Refuses a grant that would expose a secret or weaken the sandbox. */
export function grantedTo(
  { grants: { toolchains, files, gitIdentity } }: Pick<PinnedSandbox, 'grants'>,
  folders: { readonly userDir: string; readonly stateDir: string; readonly root: string },
): GrantedTo {
  const declared: DeclaredGrant[] = [
    ...toolchains.map((path) => ({ kind: 'toolchain', path }) as const),
    ...files.map((path) => ({ kind: 'project-file', path }) as const),
    ...(gitIdentity === null ? [] : [{ kind: 'git-identity', ...gitIdentity } as const]),
  ];
  const { userDir: userHome, stateDir: home, root } = folders;
  const grants = resolveGrants(declared, { userHome, home, root, realPath: realPathSync });
  const read = grants.flatMap((grant) => (grant.kind === 'mount-read-only' ? [grant.path] : []));
  return { grants, read, path: read.flatMap(programsIn), record: grants.map(describeGrant) };
}

/** The programs of a toolchain are in its `bin` folder, or in the folder itself. */
function programsIn(folder: string): readonly string[] {
  const own = join(folder, 'bin');
  if (realPathSync(own) !== undefined) return [own];
  return [folder];
}

function describeGrant(grant: ResolvedGrant): string {
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
  /** No process may use it meanwhile. */
  readonly tree: string;
  readonly stateDir: string;
  /** The name of the setup's result; null: there is none. */
  readonly setup: string | null;
  readonly granted: GrantedTo;
};

/** Returns the copied paths, which do not count as work. */
export async function prepareTree({
  tree,
  stateDir,
  setup,
  granted,
}: TreeRequest): Promise<readonly string[]> {
  const { placed } = setup === null ? { placed: [] } : await placeSetup(stateDir, setup, tree);
  const files: string[] = [];
  for (const grant of granted.grants) {
    if (grant.kind !== 'copy') continue;
    const folder = grant.to.slice(0, Math.max(grant.to.lastIndexOf('/'), 0));
    if (!(await makeFolder(tree, folder))) continue;
    if ((await readPath(tree, grant.to, 0)).kind !== 'absent') continue; // the tree already has this file
    if ((await copyTree(grant.from, join(tree, grant.to), FILE_BOUNDS)) === undefined) {
      await removeTree(join(tree, grant.to));
      throw tooLarge(grant.to);
    }
    files.push(grant.to);
  }
  return [...placed, ...files];
}

function tooLarge(path: string): Refusal {
  const { entriesMax, bytesMax } = FILE_BOUNDS;
  return new Refusal({
    code: 'workspace.unsafe-grant',
    message: `${JSON.stringify(path)} cannot be granted to an agent: it has more than ${bytesMax / 1e6} MB, or more than ${entriesMax} files and folders.`,
    hint: 'Name only the files that are needed in sandbox.grants.files.',
  });
}

/** Prepares a workspace once. A repetition would overwrite changes of the agent. */
export async function prepareWorkspace(
  { id, work }: Pick<Workspace, 'id' | 'work'>,
  request: Omit<TreeRequest, 'tree'>,
): Promise<void> {
  if (await isPrepared(id)) return;
  await markPrepared(id, await prepareTree({ ...request, tree: work }));
}

/** Mounts the tree at the path that the setup used, because installers write absolute paths. */
export function setupMounts(
  setup: string | null,
  tree: string,
  backend: Backend,
): readonly Mount[] {
  if (setup === null || backend === 'seatbelt' || backend === 'none') return [];
  return [{ from: tree, to: PROJECT_INSIDE, mode: 'rw' }];
}
