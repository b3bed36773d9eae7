/**
 * Turns a policy into `podman run`: as with docker, plus flags against what podman passes on from the host by
 * default.
 */
import { groupArgs } from '../group-args.ts';
import { clientEnv, containerEnforced, containerFiles, runArgs } from './container-args.ts';
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import type { SandboxPolicy } from '../policy.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';

export function wrapPodman(
  policy: SandboxPolicy,
  command: InnerCommand,
  { tools, engineEnv, uid }: SandboxFacts,
  layout: MountLayout,
): Wrapped {
  const podmanArgs = [
    ...groupArgs('--no-hosts', '--http-proxy=false', '--image-volume', 'ignore'),
    ...groupArgs('--ulimit', 'nproc=4096:4096'),
    // Without root, our own uid has to be kept. Otherwise our files would belong to another user inside.
    ...(uid === 0 ? [] : ['--userns', 'keep-id']),
  ];
  return {
    backend: 'podman',
    argv: [tools.podman ?? 'podman', ...runArgs(policy, command, layout, podmanArgs)],
    env: clientEnv(policy, engineEnv),
    cwd: layout.scratch,
    files: containerFiles(policy),
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    enforced: containerEnforced(policy),
    container: layout.container,
  };
}
