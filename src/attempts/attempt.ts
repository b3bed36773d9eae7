/** The words of the attempt loop: what one attempt is asked, and how it can end. */
import type { AgentSpec } from '../agents/adapter.ts';
import type { FailureReason } from '../protocol/failure.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Failure } from './classify.ts';

/** Pinned into the run when it is submitted. What is optional here was not pinned by older releases. */
export type AttemptSettings = {
  readonly agent: AgentSpec;
  /** How long an agent that is asked to end may take before it is killed. */
  readonly graceMs: number;
  readonly deadlineMs: number | null;
  /** How often an attempt that died with us is begun again before a person must look. */
  readonly lostMax: number;
  readonly outputBytesMax: number;
  readonly sandbox?: Settings['sandbox'];
  readonly gateway?: Settings['gateway'];
  readonly setup?: Settings['setup'];
  /** The user's own rules for what an end means. */
  readonly rules?: Settings['classify']['rules'];
  /** The user has said that nothing need hold the agent. */
  readonly unsafe?: boolean;
};

/** What the performer is given: everything, so that it needs no other memory. */
export type AttemptInput = AttemptSettings & {
  readonly prompt: string;
  readonly project: string;
  /** The name of what the setup made; null where there is none. */
  readonly setupKey?: string | null;
};

/** How one attempt ended. It ends exactly once, in exactly one of these. */
export type AttemptOutcome =
  /** The agent says that it is done; nobody has checked. */
  | { readonly kind: 'completed'; readonly summary: string }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      /** What follows from it, and what it rests on; absent where nothing was begun. */
      readonly failure?: Failure;
    }
  | { readonly kind: 'stopped' };

export type OutputStream = 'stdout' | 'stderr';

/** The name under which an attempt's output is kept. */
export function outputName(key: string, stream: OutputStream): string {
  return `${key}-${stream}`;
}
