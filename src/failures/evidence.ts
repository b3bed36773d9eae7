/** Everything that is known about an attempt's end when it is classified. */
import type { ProcessExit, AgentVerdict } from '../adapters/adapter.ts';
import type { AgentError } from '../adapters/agent-event.ts';
import type { Transcript } from '../adapters/transcript.ts';
import type { StopKind } from '../gateway/observe/stop-kind.ts';
import type { FailureRule } from './rules/rule.ts';

/** What the sandbox says of its own end. */
export type ContainerState = {
  readonly oomKilled: boolean;
  /** It went away without telling how. */
  readonly lost: boolean;
  /** Why it could not start the agent. */
  readonly startError: string | null;
  /** What it had too much of, and was ended for. */
  readonly overLimit?: 'disk' | 'free-space';
};

/** One model call, as the gateway saw it. */
export type ModelCall = {
  readonly kind: 'main' | 'sub' | 'side' | 'compaction' | 'count' | 'probe';
  /** Null: nothing is known to be wrong with it. */
  readonly error: AgentError | null;
  /** The provider has said that the agent's own key and model have reached a limit. */
  readonly isLimit: boolean;
  /** Why the model ended its answer; null: it has not, or an error came instead. */
  readonly stop: StopKind | null;
  /** Whether it is over, however it ended. */
  readonly ended: boolean;
  /** Why the gateway itself refused it: its budget is spent, or its model has no price. */
  readonly overBudget: {
    readonly because: 'spent' | 'price-unknown';
    readonly message: string;
  } | null;
};

export type Tail = { readonly stdout: readonly string[]; readonly stderr: readonly string[] };

export type AttemptEvidence = {
  readonly cli: string;
  readonly exit: ProcessExit;
  readonly stoppedBy: 'user' | 'deadline' | null;
  readonly container: ContainerState | null;
  /** Why the gateway's process ended before the attempt did. */
  readonly gatewayFailure: string | null;
  /** Oldest first. */
  readonly calls: readonly ModelCall[];
  /** Whether every model call of the agent is among them: then its own words alone are no limit. */
  readonly watched: boolean;
  /** Whether the CLI ends with a word of its own. */
  readonly structured: boolean;
  readonly story: Transcript;
  readonly verdict: AgentVerdict;
  /** The last lines that were no events; null: nobody has read its output. */
  readonly tail: Tail | null;
  /** Whether anything in the workspace differs from before; null: nobody has looked. */
  readonly changed: boolean | null;
  /** Whether the agent's user may not write to the working folder; absent: nobody has looked. */
  readonly closed?: boolean;
  readonly now: number;
  /** Where a time of day without a place is meant. */
  readonly zone: string;
  /** The user's own rules. */
  readonly rules: readonly FailureRule[];
};

export type EvidenceSource =
  | 'user'
  | 'deadline'
  | 'container'
  | 'gateway'
  | 'event'
  | 'stdout'
  | 'stderr'
  | 'exit';

/** What a classification rests on. */
export type EvidenceLine = {
  readonly source: EvidenceSource;
  readonly line: string;
  readonly rule: string;
};
