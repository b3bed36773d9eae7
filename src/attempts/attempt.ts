/** The words of the attempt loop: what one attempt is asked, and how it can end. */
import type { AgentSpec } from '../adapters/adapter.ts';
import type { Json } from '../base/json.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import type { FailureReason } from '../protocol/failure-reason.ts';
import type { Settings } from '../settings/settings.ts';
import type { ChainOrder } from './chain.ts';
import type { ClassifiedFailure } from '../failures/classify-attempt.ts';
import type { DecisionReason } from './decision.ts';
import type { TurnNotes } from './turn-notes.ts';

/** What a role gives its worker. The prompt itself is kept once, under its hash, and not in every fact. */
export type PinnedBrief = {
  readonly role: string;
  /** Of the prompt. */
  readonly hash: string;
  readonly answer: AnswerKind;
  /** Null: all that its CLI has. */
  readonly allowedTools: readonly string[] | null;
};

/** Pinned into the run when it is submitted. What is optional here was not pinned by older releases. */
export type AttemptSettings = {
  readonly agent: AgentSpec;
  /** All that the run may use; without it, that one agent. */
  readonly chain?: readonly AgentSpec[];
  readonly order?: ChainOrder;
  readonly fallbacks?: Readonly<Record<string, string>>;
  readonly recovery?: Settings['recovery'];
  /** One attempt and no recovery. */
  readonly once?: boolean;
  /** What other runs found to be limited is tried all the same. */
  readonly ignoreCooldown?: boolean;
  readonly gates?: Settings['gates'];
  /** How long an agent that is asked to end may take before it is killed. */
  readonly graceMs: number;
  readonly deadlineMs: number | null;
  /** How often an attempt that died with us is begun again before a person must look. */
  readonly lostMax: number;
  readonly outputBytesMax: number;
  readonly sandbox?: Settings['sandbox'];
  readonly gateway?: Settings['gateway'];
  readonly budget?: Settings['budget'];
  readonly setup?: Settings['setup'];
  /** How many runs of its project, and of one agent, there may be for this one to begin. */
  readonly capacity?: Settings['capacity'];
  /** The user's own rules for what an end means. */
  readonly rules?: Settings['classify']['rules'];
  /** The user has said that nothing need hold the agent. */
  readonly unsafe?: boolean;
  readonly brief?: PinnedBrief;
};

/** What the performer is given: everything, so that it needs no other memory. */
export type AttemptInput = Omit<
  AttemptSettings,
  'chain' | 'order' | 'fallbacks' | 'recovery' | 'capacity'
> & {
  /** With a brief: what is said before it. */
  readonly prompt: string;
  readonly project: string;
  /** The name of what the setup made; null where there is none. */
  readonly setupKey?: string | null;
  readonly number?: number;
  /** Whether another agent of the chain could take over at once. */
  readonly replaceable?: boolean;
  /** Why there is this attempt. */
  readonly why?: DecisionReason;
  /** The agent's own conversation to go on with, and what is said in it instead of the prompt. */
  readonly resume?: string | null;
  readonly resumePrompt?: string | null;
  /** Which of the run's trees it works in; the first, if nothing is said. */
  readonly tree?: number;
  /** Whether what it says last is listened to, beyond its summary. */
  readonly speaks?: boolean;
};

/** What is known of an attempt however it ended. Older releases did not keep it. */
export type AttemptFacts = {
  /** The agent's own name for its conversation. */
  readonly session?: string | null;
  /** Whether files were changed; null: nobody can tell. */
  readonly changed?: boolean | null;
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  } | null;
  /** As a shell would say it: a signal is 128 and more. Null: it never started. */
  readonly exit?: number | null;
};

/** How one attempt ended. It ends exactly once, in exactly one of these. */
export type AttemptOutcome =
  /** The agent says that it is done; nobody has checked. */
  | (AttemptFacts & {
      readonly kind: 'completed';
      readonly summary: string;
      /** What it answers in the form that its role asks for. */
      readonly answer?: Json;
      /** Where somebody listens: the last line, and what it wants to have passed on. */
      readonly said?: TurnNotes;
    })
  | (AttemptFacts & {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      /** What follows from it, and what it rests on; absent where nothing was begun. */
      readonly failure?: ClassifiedFailure;
      readonly answer?: Json;
    })
  | { readonly kind: 'stopped' };

export type AttemptStream = 'stdout' | 'stderr';

/** The name under which output is kept, or a recording of model calls. The key of a lost gate has a dot. */
export function outputName(key: string, stream: AttemptStream | 'calls'): string {
  return `${key.replaceAll('.', '-')}-${stream}`;
}
