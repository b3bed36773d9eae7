/** What a command has that runs on the machine itself, with walls around it or without: no mounts, no namespaces. */
import { BRIDGE_PROGRAM, entryArgv, networkEnv } from './entry-script.ts';
import type { MountLayout } from './sandbox-facts.ts';
import type { SandboxPolicy } from './policy.ts';
import type { InnerCommand, Wrapped } from './wrapped.ts';

const BRIDGE_FILE = 'bridge.cjs';

/** Nothing is enforced but what can be watched from outside. A backend says what it adds to that. */
export function runUnsandboxed(
  policy: SandboxPolicy,
  command: InnerCommand,
  place: MountLayout,
): Omit<Wrapped, 'backend'> {
  const { network, limits } = policy;
  return {
    argv: entryArgv(policy, command.argv, {
      rlimits: { memory: false, pids: false },
      lifeline: false,
      socket: network.kind === 'none' ? '' : network.socket,
      bridge: `${place.scratch}/${BRIDGE_FILE}`,
    }),
    env: {
      HOME: policy.home ?? `${place.scratch}/home`,
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
