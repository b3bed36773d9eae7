/** What has to be on the host before a command can be wrapped: a scratch folder, a cgroup, mounts within reach. */
import { Refusal } from '../base/errors.ts';
import { newRunId } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Cgroup } from '../host/process/cgroup.ts';
import { makeCgroup } from '../host/process/cgroup.ts';
import { ensureOwnedFolder } from '../host/files/owned-folder.ts';
import { processScopedName } from '../host/files/process-scoped-name.ts';
import { canTraverse, canWriteTo } from '../host/files/path-access.ts';
import { realPathSync } from '../host/files/system-dirs.ts';
import { ScratchFolder } from '../host/files/scratch-folder.ts';
import { HOME_FOLDER, LIFELINE_FILE } from './backends/container-args.ts';
import type { MountLayout, SandboxFacts, SandboxUser } from './sandbox-facts.ts';
import type { Backend, SandboxPolicy } from './policy.ts';
import { policyMounts } from './policy.ts';

/** By which scratch folders, cgroups and containers of ours are known. */
export const NAME_PREFIX = 'supervisor-sandbox-';

export type PreparedMounts = AsyncDisposable & {
  readonly place: MountLayout;
  readonly scratch: ScratchFolder;
  readonly cgroup: Cgroup | undefined;
};

export async function prepareMounts(
  policy: SandboxPolicy,
  backend: Backend,
  facts: SandboxFacts,
  user: SandboxUser,
  luck: Random,
): Promise<PreparedMounts> {
  if (policy.home !== null) await ensureOwnedFolder(policy.home, user);
  checkMounts(policy, backend, facts, user);
  await using stack = new AsyncDisposableStack();
  const name = processScopedName(NAME_PREFIX, newRunId(luck));
  const scratch = stack.use(await ScratchFolder.make(`${name}-`));
  const isContainer = backend === 'docker' || backend === 'podman';
  if (isContainer) await scratch.lifeline(LIFELINE_FILE, facts.tools.mkfifo ?? 'mkfifo');
  if (backend === 'seatbelt') await scratch.folder('tmp', user);
  if (backend !== 'bubblewrap' && policy.home === null) await scratch.folder(HOME_FOLDER, user);
  const stages = new Map<string, string>();
  if (backend === 'bubblewrap' && facts.uid === 0) {
    for (const source of new Set(sourcesOf(policy, facts))) {
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
    place: {
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

function sourcesOf(policy: SandboxPolicy, { node }: SandboxFacts): readonly string[] {
  const { network } = policy;
  const mounts = policyMounts(policy).map(({ from }) => from);
  return network.kind === 'none' ? mounts : [...mounts, network.socket, node];
}

/** Told before anything starts: a sandbox that can't write to its own folder only looks broken. */
function checkMounts(
  policy: SandboxPolicy,
  backend: Backend,
  { uid }: SandboxFacts,
  user: SandboxUser,
): void {
  if (backend === 'none') return;
  for (const { from, mode } of policyMounts(policy)) {
    const real = realPathSync(from);
    if (real === undefined) throw refused(`there is no ${from}`);
    // An agent that could put a link here would choose what the next one is shown.
    if (real !== from) throw refused(`${from} is a link, or lies behind one: it is ${real}`);
    if (mode === 'rw' && uid === 0 && !canWriteTo(from, user))
      throw refused(`${from} can't be written to by the user ${user.uid} of the sandbox`);
  }
}

function refused(why: string): Refusal {
  return new Refusal({
    code: 'sandbox.policy-refused',
    message: `This sandbox can't be made: ${why}.`,
    hint: 'Give the sandbox folders that are there, that are no links, and that its user owns.',
  });
}
