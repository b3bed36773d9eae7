import type { MountLayout, SandboxFacts } from './sandbox-facts.ts';
import type { Backend, SandboxPolicy } from './policy.ts';
import type { InnerCommand, Wrapped } from './wrapped.ts';
import { wrapBubblewrap } from './backends/wrap-bubblewrap.ts';
import { wrapDocker } from './backends/wrap-docker.ts';
import { wrapNone } from './backends/wrap-none.ts';
import { wrapPodman } from './backends/wrap-podman.ts';
import { wrapSeatbelt } from './backends/wrap-seatbelt.ts';

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
