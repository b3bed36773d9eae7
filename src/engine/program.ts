/**
 * A program is a loop written as a pure reducer: `fold` turns a run's facts into a state, `next`
 * returns the moves that this state calls for. It performs nothing and reads no clock. So resuming is
 * folding again, forking is folding a prefix, and the simulation runs the same code.
 */
import type { Instant } from '../base/clock.ts';
import type { CommandKey } from '../base/ids.ts';
import type { Json } from '../base/json.ts';
import type { Input, PerformedCommand, WaitReason } from '../protocol/commands.ts';
import type { RunEvent } from '../protocol/event.ts';
import type { Submission } from '../protocol/run-submission.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import type { ApprovalSubject } from '../protocol/contracts/workflow-contract.ts';
import type { LimitRequest } from './limits.ts';

/**
 * What a program wants. A program repeats its moves at every call. The engine begins a key once, and
 * ignores a key that has already begun, ended or been cancelled. So `next` describes, it does not count.
 */
export type Move =
  /** Have a performer run a command. `limits` names the limits that it counts against, each with an optional maximum. */
  | PerformMove
  /** Sleep. It ends at `until`, or at once with a `retry-now` signal. */
  | {
      readonly kind: 'wait';
      readonly key: CommandKey;
      readonly until: Instant;
      readonly reason: WaitReason;
      /** The same for people, with the details. */
      readonly why: string;
      /** Before an attempt: the agent that it will use. */
      readonly agent?: string;
    }
  /** Put a question to a person. It ends with an `answer` signal that names its key, or at `until`. */
  | {
      readonly kind: 'ask';
      readonly key: CommandKey;
      readonly question: string;
      /** The number of the agent's issue that it is about. Absent: the run itself waits for the answer. */
      readonly issue?: number;
      /** The valid answers. Absent: any text is valid. */
      readonly choices?: readonly string[];
      /** The run lacks a key. */
      readonly about?: 'keys';
      /** A step of a workflow waits for an approval of this. */
      readonly approval?: ApprovalSubject;
      /** The gate that is red. The answer `accept` continues all the same. */
      readonly redGate?: string;
      /** The content of the work that the person may change instead of an answer. */
      readonly editable?: string;
      /** The question ends then without an answer. Absent: it stays open. */
      readonly until?: Instant;
    }
  /**
   * Start a run of another program. It ends with the outcome of that run, whatever it is. The child keeps within the
   * budget and the time of this run, and is paused with it.
   */
  | { readonly kind: 'run'; readonly key: CommandKey; readonly submission: Submission }
  /** Cancel a command: `ask` lets it end cleanly, `kill` does not wait. Waits and questions end at once, a child run when it has stopped. */
  | { readonly kind: 'cancel'; readonly key: CommandKey; readonly how: 'ask' | 'kill' }
  /** The end. Nothing may be open: cancel it first and wait for its end. */
  | { readonly kind: 'finish'; readonly outcome: RunOutcome }
  /** Do nothing until a signal comes: another component decides when the run continues. A run without any move would be stuck. */
  | { readonly kind: 'park' };

export type PerformMove<Name extends PerformedCommand = PerformedCommand> = {
  readonly [Each in Name]: {
    readonly kind: 'perform';
    readonly key: CommandKey;
    readonly command: Each;
    readonly input: Input<Each>;
    readonly limits?: readonly LimitRequest[];
    /** Performed first if the command had to wait for a slot. What the program knew may have changed meanwhile. */
    readonly recheck?: UnlimitedMove;
  };
}[Name];

/** A command that counts against no limit, so it never waits. */
type UnlimitedMove = {
  readonly [Each in PerformedCommand]: {
    readonly kind: 'perform';
    readonly key: CommandKey;
    readonly command: Each;
    readonly input: Input<Each>;
  };
}[PerformedCommand];

export interface Program<State extends Json> {
  readonly name: string;
  /** Raised when `fold` gives old facts another meaning. Snapshots of another version are not read. */
  readonly version: number;
  start(submission: Submission): State;
  /**
   * The state of a fork, from that of the other run, its own submission, and the number of the other run's last attempt.
   * Absent: it keeps all of that state.
   */
  fork?(state: State, submission: Submission, lastAttempt?: number): State;
  /** Total: a fact that it does not know leaves the state as it is. */
  fold(state: State, event: RunEvent): State;
  /** Pure. `random` is in [0, 1). */
  next(state: State, now: Instant, random: number): readonly Move[];
}
