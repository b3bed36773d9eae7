/**
 * Turns a policy into `docker run`: a read-only image, no network but our socket, limits by cgroup. The client can be
 * killed without its container noticing, so the container itself watches a lifeline.
 */
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import type { SandboxPolicy } from '../policy.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';
import { clientEnv, containerEnforced, containerFiles, runArgs } from './container-args.ts';

export function wrapDocker(
  policy: SandboxPolicy,
  command: InnerCommand,
  { tools, engineEnv }: SandboxFacts,
  layout: MountLayout,
): Wrapped {
  return {
    backend: 'docker',
    argv: [tools.docker ?? 'docker', ...runArgs(policy, command, layout)],
    env: clientEnv(policy, engineEnv),
    cwd: layout.scratch,
    files: containerFiles(policy),
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    enforced: containerEnforced(policy),
    container: layout.container,
  };
}
