/** No sandbox at all: the command runs directly. The policy must explicitly allow this. */
import { Refusal } from '../../base/errors.ts';
import type { MountLayout, SandboxFacts } from '../sandbox-facts.ts';
import { runUnsandboxed } from '../run-unsandboxed.ts';
import type { SandboxPolicy } from '../policy.ts';
import type { InnerCommand, Wrapped } from '../wrapped.ts';

export function wrapNone(
  policy: SandboxPolicy,
  command: InnerCommand,
  _facts: SandboxFacts,
  layout: MountLayout,
): Wrapped {
  if (!policy.unsafe) {
    throw new Refusal({
      code: 'sandbox.unavailable',
      message: 'Nothing runs without a sandbox.',
      hint: 'Pass --unsafe-no-sandbox if the command may do everything on this machine that you may do.',
    });
  }
  const wrapped = runUnsandboxed(policy, command, layout);
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...wrapped.env };
  return { backend: 'none', ...wrapped, env };
}
