import type { MountLayout, SandboxFacts } from './sandbox-facts.ts';
import type { Backend, SandboxPolicy } from './policy.ts';
import type { InnerCommand, Wrapped } from './wrapped.ts';
import { wrapBubblewrap } from './backends/wrap-bubblewrap.ts';
import { wrapDocker, wrapPodman } from './backends/wrap-container.ts';
import { wrapSeatbelt } from './backends/wrap-seatbelt.ts';
import { Refusal } from '../base/errors.ts';
import { runUnsandboxed } from './run-unsandboxed.ts';

export type Wrap = (
  policy: SandboxPolicy,
  command: InnerCommand,
  facts: SandboxFacts,
  layout: MountLayout,
) => Wrapped;

/** How each backend turns a policy and a command into a command to start. All are pure. */
export const WRAP: Readonly<Record<Backend, Wrap>> = {
  bubblewrap: wrapBubblewrap,
  docker: wrapDocker,
  podman: wrapPodman,
  seatbelt: wrapSeatbelt,
  none: wrapNone,
};

/** No sandbox at all: the command runs directly. The policy must explicitly allow this. */
function wrapNone(
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
