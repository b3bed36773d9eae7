/** Everything that is known about an attempt's end when it is classified. */
import type { ProcessExit, AgentVerdict } from '../adapters/adapter.ts';
import type { AgentError } from '../adapters/agent-event.ts';
import type { Transcript } from '../adapters/transcript.ts';
import type { StopKind } from '../gateway/observe/stop-kind.ts';
import type { FailureRule } from './rules/rule.ts';

/** The sandbox's report of its own end. */
export type ContainerState = {
  readonly oomKilled: boolean;
  /** It disappeared without an exit status. */
  readonly lost: boolean;
  /** Why it could not start the agent. */
  readonly startError: string | null;
  /** The limit that it exceeded, and was ended for. */
  readonly overLimit?: 'disk' | 'free-space';
};

/** One model call, as the gateway saw it. */
export type ModelCall = {
  readonly kind: 'main' | 'sub' | 'side' | 'compaction' | 'count' | 'probe';
  /** Null: no error is known. */
  readonly error: AgentError | null;
  /** The provider reported that the agent's own key and model have reached a limit. */
  readonly isLimit: boolean;
  /** Why the model ended its answer; null: it has not, or an error came instead. */
  readonly stop: StopKind | null;
  /** Whether it is over, however it ended. */
  readonly ended: boolean;
  /** Why the gateway itself refused it: its budget is spent, or its model has no price. */
  readonly overBudget: {
    readonly because: 'spent' | 'price-unknown';
    readonly message: string;
    /** The model that has no price. */
    readonly model?: string;
  } | null;
};

export type Tail = { readonly stdout: readonly string[]; readonly stderr: readonly string[] };

export type AttemptEvidence = {
  readonly cli: string;
  readonly exit: ProcessExit;
  readonly stoppedBy: 'user' | 'deadline' | 'time-budget' | null;
  readonly container: ContainerState | null;
  /** Why the gateway's process ended before the attempt did. */
  readonly gatewayFailure: string | null;
  /** Oldest first. */
  readonly calls: readonly ModelCall[];
  /**
   * Whether every model call of the agent is among them. If so, the agent's own words never count
   * as a limit.
   */
  readonly seesEveryCall: boolean;
  /** Whether the CLI ends with a final message of its own. */
  readonly structured: boolean;
  readonly transcript: Transcript;
  readonly verdict: AgentVerdict;
  /** The last lines that were no events; null: its output was not read. */
  readonly tail: Tail | null;
  /** Whether anything in the workspace differs from before; null: not compared. */
  readonly changed: boolean | null;
  /** Whether the agent's user may not write to the working folder; absent: not checked. */
  readonly isReadOnly?: boolean;
  readonly now: number;
  /** The zone of a time of day without one. */
  readonly zone: string;
  /** The user's own rules. */
  readonly rules: readonly FailureRule[];
};
