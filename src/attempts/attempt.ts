/** The words of the attempt loop: what one attempt is asked, and how it can end. */
import type { AgentSpec } from '../agents/adapter.ts';

/** Pinned into the run when it is submitted. */
export type AttemptSettings = {
  readonly agent: AgentSpec;
  /** How long an agent that is asked to end may take before it is killed. */
  readonly graceMs: number;
  readonly deadlineMs: number | null;
  /** How often an attempt that died with us is begun again before a person must look. */
  readonly lostMax: number;
  readonly outputBytesMax: number;
};

/** What the performer is given: everything, so that it needs no other memory. */
export type AttemptInput = AttemptSettings & {
  readonly prompt: string;
  readonly project: string;
};

/** How one attempt ended. It ends exactly once, in exactly one of these. */
export type AttemptOutcome =
  /** The agent says that it is done; nobody has checked. */
  | { readonly kind: 'completed'; readonly summary: string }
  | { readonly kind: 'failed'; readonly reason: FailureReason; readonly message: string }
  | { readonly kind: 'stopped' };

export type FailureReason = 'crashed' | 'agent-missing' | 'deadline';

export type OutputStream = 'stdout' | 'stderr';

/** The name under which an attempt's output is kept. */
export function outputName(key: string, stream: OutputStream): string {
  return `${key}-${stream}`;
}
