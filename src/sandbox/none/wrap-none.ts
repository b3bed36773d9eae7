/** No sandbox at all: the command runs as it is. The policy must say that it wants this. */
import { Refusal } from '../../base/errors.ts';
import { BRIDGE_PROGRAM, entryArgv, networkEnv } from '../entry-script.ts';
import type { Place, SandboxFacts } from '../facts.ts';
import type { SandboxPolicy } from '../policy.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';

const BRIDGE_FILE = 'bridge.cjs';

export function wrapNone(
  policy: SandboxPolicy,
  command: InnerCommand,
  _facts: SandboxFacts,
  place: Place,
): Wrapped {
  if (!policy.unsafe) {
    throw new Refusal({
      code: 'sandbox.unavailable',
      message: 'Without a sandbox nothing is run.',
      hint: 'Say --unsafe-no-sandbox if the command may do on this machine whatever you may.',
    });
  }
  const { network, env, home, limits } = policy;
  const socket = network.kind === 'none' ? '' : network.socket;
  return {
    backend: 'none',
    argv: entryArgv(policy, command.argv, {
      rlimits: { memory: false, pids: false },
      lifeline: false,
      socket,
      bridge: `${place.scratch}/${BRIDGE_FILE}`,
    }),
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: home ?? `${place.scratch}/home`,
      ...networkEnv(policy),
      ...env,
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
