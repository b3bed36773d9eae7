/**
 * The environment of a command that runs directly on the machine, with or without a profile around it: no mounts, no
 * namespaces.
 */
import { BRIDGE_PROGRAM, entryArgv, networkEnv } from './entry-script.ts';
import type { MountLayout } from './sandbox-facts.ts';
import type { SandboxPolicy } from './policy.ts';
import type { InnerCommand, Wrapped } from './wrapped.ts';

const BRIDGE_FILE = 'bridge.cjs';

/** Nothing is enforced except what can be watched from outside. A backend adds what it enforces. */
export function runUnsandboxed(
  policy: SandboxPolicy,
  command: InnerCommand,
  layout: MountLayout,
): Omit<Wrapped, 'backend'> {
  const { network, limits } = policy;
  return {
    argv: entryArgv(policy, command.argv, {
      rlimits: { memory: false, pids: false },
      lifeline: false,
      socket: network.kind === 'none' ? '' : network.socket,
      bridge: `${layout.scratch}/${BRIDGE_FILE}`,
    }),
    env: {
      HOME: policy.home ?? `${layout.scratch}/home`,
      ...networkEnv(policy),
      ...policy.env,
    },
    cwd: policy.cwd,
    files: network.kind === 'none' ? [] : [{ name: BRIDGE_FILE, data: BRIDGE_PROGRAM }],
    ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    enforced: {
      files: 'none',
      network: 'none',
      processes: 'none',
      user: 'none',
      syscalls: 'none',
      memory: 'none',
      cpus: 'none',
      pids: 'none',
      disk: limits.diskBytes === null ? 'none' : 'watched',
      tmp: 'none',
    },
    container: null,
  };
}
