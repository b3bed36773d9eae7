import type { Place, SandboxFacts } from './facts.ts';
import type { Backend, SandboxPolicy } from './policy.ts';
import type { InnerCommand, Wrapped } from './wrapped.ts';
import { wrapBubblewrap } from './bubblewrap/wrap-bubblewrap.ts';
import { wrapDocker } from './docker/wrap-docker.ts';
import { wrapNone } from './none/wrap-none.ts';
import { wrapPodman } from './podman/wrap-podman.ts';
import { wrapSeatbelt } from './seatbelt/wrap-seatbelt.ts';

export type Wrap = (
  policy: SandboxPolicy,
  command: InnerCommand,
  facts: SandboxFacts,
  place: Place,
) => Wrapped;

/** How each backend turns a policy and a command into something to start. Pure, all of them. */
export const WRAP: Readonly<Record<Backend, Wrap>> = {
  bubblewrap: wrapBubblewrap,
  docker: wrapDocker,
  podman: wrapPodman,
  seatbelt: wrapSeatbelt,
  none: wrapNone,
};
