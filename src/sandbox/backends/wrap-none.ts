/** No sandbox at all: the command runs as it is. The policy must say that it wants this. */
import { Refusal } from '../../base/errors.ts';
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import { runUnsandboxed } from '../run-unsandboxed.ts';
import type { SandboxPolicy } from '../policy.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';

export function wrapNone(
  policy: SandboxPolicy,
  command: InnerCommand,
  _facts: SandboxFacts,
  place: MountLayout,
): Wrapped {
  if (!policy.unsafe) {
    throw new Refusal({
      code: 'sandbox.unavailable',
      message: 'Without a sandbox nothing is run.',
      hint: 'Say --unsafe-no-sandbox if the command may do on this machine whatever you may.',
    });
  }
  const wrapped = runUnsandboxed(policy, command, place);
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...wrapped.env };
  return { backend: 'none', ...wrapped, env };
}
