/** Prepares the host before a command is wrapped: a scratch folder, a cgroup, accessible mounts. */
import { Refusal } from '../base/errors.ts';
import { newRunId } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Cgroup } from '../host/process/cgroup.ts';
import { makeCgroup } from '../host/process/cgroup.ts';
import { ensureOwnedFolder } from '../host/files/owned-folder.ts';
import { processScopedName } from '../host/files/process-scoped-name.ts';
import { canTraverse, canWriteTo } from '../host/files/path-access.ts';
import { realPathSync } from '../host/files/real-path.ts';
import { ScratchFolder } from '../host/files/scratch-folder.ts';
import { HOME_FOLDER, LIFELINE_FILE } from './backends/wrap-container.ts';
import type { MountLayout, SandboxFacts, SandboxUser } from './sandbox-facts.ts';
import type { Backend, SandboxPolicy } from './policy.ts';
import { policyMounts } from './policy.ts';

/** The name prefix of our scratch folders, cgroups and containers. */
export const NAME_PREFIX = 'supervisor-sandbox-';

export type PreparedMounts = AsyncDisposable & {
  readonly layout: MountLayout;
  readonly scratch: ScratchFolder;
  readonly cgroup: Cgroup | undefined;
};

export async function prepareMounts(
  policy: SandboxPolicy,
  backend: Backend,
  facts: SandboxFacts,
  user: SandboxUser,
  random: Random,
): Promise<PreparedMounts> {
  if (policy.home !== null) await ensureOwnedFolder(policy.home, user);
  checkMounts(policy, backend, facts, user);
  await using stack = new AsyncDisposableStack();
  const name = processScopedName(NAME_PREFIX, newRunId(random));
  const scratch = stack.use(await ScratchFolder.make(`${name}-`));
  const isContainer = backend === 'docker' || backend === 'podman';
  if (isContainer) await scratch.lifeline(LIFELINE_FILE, facts.tools.mkfifo ?? 'mkfifo');
  if (backend === 'seatbelt') await scratch.folder('tmp', user);
  if (backend !== 'bubblewrap' && policy.home === null) await scratch.folder(HOME_FOLDER, user);
  const stages = new Map<string, string>();
  if (backend === 'bubblewrap' && facts.uid === 0) {
    for (const source of new Set(mountSources(policy, facts))) {
      if (!canTraverse(source, user))
        stages.set(source, await scratch.mountPoint(`mount-${stages.size}`, source));
    }
  }
  const cgroup =
    backend === 'bubblewrap' && facts.cgroup.kind !== 'none'
      ? stack.use(await makeCgroup(name, policy.limits, facts.cgroup))
      : undefined;
  const owned = stack.move();
  return {
    layout: {
      scratch: scratch.path,
      user,
      joins: cgroup?.joins ?? [],
      limited: cgroup?.limited ?? [],
      stages,
      container: name,
    },
    scratch,
    cgroup,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function mountSources(policy: SandboxPolicy, { node }: SandboxFacts): readonly string[] {
  const { network } = policy;
  const mounts = policyMounts(policy).map(({ from }) => from);
  return network.kind === 'none' ? mounts : [...mounts, network.socket, node];
}

/** Checked before anything starts, because a sandbox that cannot write to its own folder only looks broken. */
function checkMounts(
  policy: SandboxPolicy,
  backend: Backend,
  { uid }: SandboxFacts,
  user: SandboxUser,
): void {
  if (backend === 'none') return;
  for (const { from, mode } of policyMounts(policy)) {
    const real = realPathSync(from);
    if (real === undefined) throw refused(`${from} does not exist`);
    // An agent that could put a symlink here would choose what the next agent sees.
    if (real !== from) throw refused(`${from} contains a symlink: its real path is ${real}`);
    if (mode === 'rw' && uid === 0 && !canWriteTo(from, user))
      throw refused(`the sandbox user ${user.uid} cannot write to ${from}`);
  }
}

function refused(why: string): Refusal {
  return new Refusal({
    code: 'sandbox.policy-refused',
    message: `The sandbox cannot be created: ${why}.`,
    hint: 'Use existing folders without symlinks in their paths, which the sandbox user owns.',
  });
}
