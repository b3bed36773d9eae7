/** A policy as `podman run`: as with docker, but podman passes more of the host on unless told not to. */
import { groupArgs } from '../group-args.ts';
import { clientEnv, containerEnforced, containerFiles, runArgs } from './container-args.ts';
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import type { SandboxPolicy } from '../policy.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';

export function wrapPodman(
  policy: SandboxPolicy,
  command: InnerCommand,
  { tools, engineEnv, uid }: SandboxFacts,
  place: MountLayout,
): Wrapped {
  const ours = [
    ...groupArgs('--no-hosts', '--http-proxy=false', '--image-volume', 'ignore'),
    ...groupArgs('--ulimit', 'nproc=4096:4096'),
    // Without root our own number has to be kept, or our files would be somebody else's inside.
    ...(uid === 0 ? [] : ['--userns', 'keep-id']),
  ];
  return {
    backend: 'podman',
    argv: [tools.podman ?? 'podman', ...runArgs(policy, command, place, ours)],
    env: clientEnv(policy, engineEnv),
    cwd: place.scratch,
    files: containerFiles(policy),
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    enforced: containerEnforced(policy),
    container: place.container,
  };
}
