/**
 * The commands of a run: what each takes, what it notes while it runs, and how it ends. Programs,
 * performers and readers of the journal share these types. The owner is the only writer of a journal,
 * so the types are not checked again when an event is read.
 */
import type { ApprovalDecision, Risk } from './approval.ts';
import type {
  AttemptInput,
  AttemptNote,
  AttemptOutcome,
  CommitNote,
} from './contracts/attempt-contract.ts';
import type { UpdateBreakerInput, UpdateBreakerResult } from './breaker.ts';
import type { ChildInput, ChildNote, ChildResult } from './child-run.ts';
import type {
  BaselineInput,
  BaselineNote,
  BaselineOutcome,
} from './contracts/baseline-contract.ts';
import type { GateInput, GateNote, GateOutcome } from './contracts/gate-contract.ts';
import type {
  MergeWorkInput,
  MergeWorkResult,
  OpenBaseInput,
  OpenBaseResult,
  WriteInterfacesInput,
  WriteInterfacesResult,
} from './contracts/merge-contract.ts';
import type { RunOutcome } from './outcome.ts';
import type {
  DeliverMessageInput,
  DeliverMessageNote,
  DeliverMessageResult,
} from './run-message.ts';
import type { ChainOrder } from './pinned-settings.ts';
import type { SetupInput, SetupNote, SetupOutcome } from './contracts/setup-contract.ts';
import type {
  ApprovalSubject,
  AssessChangeInput,
  CollectStepInput,
  CollectStepResult,
  CommitWorkInput,
  CommitWorkResult,
  PrepareStepInput,
  PrepareStepResult,
} from './contracts/workflow-contract.ts';

type Commands = {
  readonly attempt: Contract<AttemptInput, AttemptNote, AttemptOutcome>;
  readonly gate: Contract<GateInput, GateNote, GateOutcome>;
  readonly baseline: Contract<BaselineInput, BaselineNote, BaselineOutcome>;
  readonly setup: Contract<SetupInput, SetupNote, SetupOutcome>;
  readonly finalize: Contract<FinalizeInput, CommitNote, FinalizeOutcome>;
  readonly 'check-availability': Contract<AvailabilityInput, never, Availability>;
  readonly 'set-cooldown': Contract<CooldownInput, never, Nothing>;
  readonly 'claim-item': Contract<ClaimItemInput, never, ClaimItemResult>;
  readonly 'release-item': Contract<ReleaseItemInput, never, ReleaseItemResult>;
  readonly 'send-message': Contract<MessageInput, never, MessageResult>;
  readonly 'deliver-message': Contract<
    DeliverMessageInput,
    DeliverMessageNote,
    DeliverMessageResult
  >;
  readonly broadcast: Contract<Broadcast, never, BroadcastResult>;
  readonly 'prepare-step': Contract<PrepareStepInput, never, PrepareStepResult>;
  readonly 'collect-step': Contract<CollectStepInput, never, CollectStepResult>;
  readonly 'update-breaker': Contract<UpdateBreakerInput, never, UpdateBreakerResult>;
  readonly 'open-base': Contract<OpenBaseInput, never, OpenBaseResult>;
  readonly 'merge-work': Contract<MergeWorkInput, never, MergeWorkResult>;
  readonly 'write-interfaces': Contract<WriteInterfacesInput, never, WriteInterfacesResult>;
  readonly 'commit-work': Contract<CommitWorkInput, never, CommitWorkResult>;
  readonly 'assess-change': Contract<AssessChangeInput, never, Risk>;
  readonly run: Contract<ChildInput, ChildNote, ChildResult>;
  readonly wait: Contract<WaitInput, never, WaitResult>;
  readonly ask: Contract<AskInput, never, AskResult>;
};

type Contract<In, Noted, Out> = {
  readonly input: In;
  readonly note: Noted;
  readonly result: Out;
};

export type Command = keyof Commands;
export type Input<Name extends Command> = Commands[Name]['input'];
export type Note<Name extends Command> = Commands[Name]['note'];
export type Result<Name extends Command> = Commands[Name]['result'];

/** The engine performs these itself. Every other command has a performer. */
type EngineCommand = 'wait' | 'ask' | 'run';
export type PerformedCommand = Exclude<Command, EngineCommand>;

/**
 * How a command ended. `interrupted`: it had started and its owner died; whether it had an effect is
 * unknown. `defect`: the performer threw.
 */
export type CommandEnd<Name extends Command = Command> =
  | { readonly kind: 'done'; readonly result: Result<Name> }
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'defect'; readonly message: string };

export type CommandBegun<Name extends Command = Command> = {
  readonly [Each in Name]: {
    readonly key: string;
    readonly command: Each;
    readonly input: Input<Each>;
    readonly limits: readonly string[];
  };
}[Name];

export type CommandNoted<Name extends Command = Command> = {
  readonly [Each in Name]: {
    readonly key: string;
    readonly command: Each;
    readonly note: Note<Each>;
  };
}[Name];

export type CommandEnded<Name extends Command = Command> = {
  readonly [Each in Name]: {
    readonly key: string;
    readonly command: Each;
    readonly end: CommandEnd<Each>;
  };
}[Name];

type Nothing = Readonly<Record<string, never>>;

/** `cooldown`: a limit ends. `retry`: the delay before the next attempt. `timer`: any other wait. */
export const WAIT_REASONS = ['cooldown', 'retry', 'timer'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** Sleeps until a time, in milliseconds since 1970. */
type WaitInput = {
  readonly until: number;
  readonly reason: WaitReason;
  /** The same for people, with the details. */
  readonly why: string;
  /** Before an attempt: the agent that it will use. */
  readonly agent?: string;
};
/** `skipped`: the user asked not to wait. `cancelled`: the program ended the wait. */
type WaitResult = { readonly skipped?: true; readonly cancelled?: true };

type AskInput = {
  readonly question: string;
  /** The number of the agent's issue that it is about. Absent: the run itself waits for the answer. */
  readonly issue?: number;
  /** The answers that have a meaning; absent: any text. */
  readonly choices?: readonly string[];
  /** The run lacks a key: `supervisor resume` gives it, and answers. */
  readonly about?: 'keys';
  /** A step of a workflow waits for an approval of this. */
  readonly approval?: ApprovalSubject;
  /** The gate that is red. The answer `accept` continues all the same. */
  readonly redGate?: string;
  /** The content of the work that the person may change instead of an answer. Absent: there is none. */
  readonly editable?: string;
  /** It ends then without an answer, in milliseconds since 1970. Absent: it stays open. */
  readonly until?: number;
};
type AskResult =
  | {
      readonly answer: string;
      /** To a question about an approval: how a person decided. */
      readonly decision?: ApprovalDecision;
      /** Whose account the answer came from. Absent in facts of earlier versions. */
      readonly by?: string;
    }
  | { readonly cancelled: true }
  /** No person answered in time. It is never an approval. */
  | { readonly timedOut: true };

/** Collects artifacts and commits work that is not committed yet. */
export type FinalizeInput = {
  readonly project: string;
  /** The number of the last attempt; 0: none started. */
  readonly attempt: number;
  /** The tree that it worked in; absent: the first. */
  readonly tree?: number;
  /** How the run will end. */
  readonly outcome: RunOutcome;
};
export type FinalizeOutcome =
  | {
      readonly kind: 'finalized';
      readonly artifacts: number;
      readonly bytes: number;
      readonly refused: number;
    }
  /** The remaining files stay where they are and can be inspected there. */
  | { readonly kind: 'unfinished'; readonly message: string };

/** Finds out which agents are cooling down and how much each was used. */
export type AvailabilityInput = {
  readonly project: string;
  readonly agents: readonly { readonly id: string; readonly identity: string }[];
  /** How the first agent is chosen; absent: an attempt has started already. */
  readonly selection?: {
    readonly order: ChainOrder;
    readonly fallbacks: Readonly<Record<string, string>>;
    /** The run has not been checked before. Only then its project's round-robin moves on. */
    readonly isFirstCheck: boolean;
  };
};
export type Availability = {
  /** The time of the check, as ISO text. */
  readonly at: string;
  readonly cooling: readonly {
    readonly identity: string;
    /** Its name in this run. */
    readonly agent?: string;
    readonly until: string;
    readonly reason: string;
  }[];
  /** Agents with a window that would not hold one more attempt. Absent: none is known. */
  readonly closing?: readonly ClosingWindow[];
  /** How many attempts each identity has started in all runs, and how many runs will start with it. */
  readonly uses: Readonly<Record<string, number>>;
  /** The agent that the last round-robin of this project started with. */
  readonly lastFirst: string | null;
  /** The identity that this run will start with, once there is capacity. */
  readonly firstIdentity?: string | null;
};

/** A rate or a plan of a provider that is nearly used up. */
export type ClosingWindow = {
  readonly identity: string;
  readonly window: string;
  readonly usedPercent: number;
  /** What one attempt uses of it. Null: that is not known. */
  readonly perAttempt: number | null;
  readonly resetAt: number;
  /** How many other attempts of this identity are under way or about to begin. Absent: none. */
  readonly others?: number;
};

/** Records that an identity cools down until a time, given as ISO text. */
export type CooldownInput = {
  readonly agent: string;
  readonly identity: string;
  readonly until: string;
  readonly reason: string;
};

/** Claims the next file of a work queue for this run. */
export type ClaimItemInput = {
  readonly dir: string;
  /** Whether it looks again for as long as the queue is empty. */
  readonly waits: boolean;
};
export type ClaimItemResult =
  | { readonly kind: 'claimed'; readonly name: string; readonly text: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly why: string };

/** Marks a claimed file as done, or returns it to the queue. */
export type ReleaseItemInput = {
  readonly dir: string;
  /** Null: whatever was claimed. */
  readonly name: string | null;
  readonly to: 'done' | 'queue';
};
export type ReleaseItemResult =
  | { readonly kind: 'released' }
  | { readonly kind: 'refused'; readonly why: string };

/** Sends a message from one agent to another. */
export type MessageInput = {
  readonly to: 'parent' | 'root';
  /** The run of the sender's parent. */
  readonly parent: string | null;
  /** The sender's name. */
  readonly from: string;
  readonly text: string;
};
export type MessageResult =
  | { readonly kind: 'sent'; readonly run: string }
  /** The receiver is over, or there is none, or it received the message already. */
  | { readonly kind: 'undeliverable'; readonly why: string };

/** Sends a person's answer about a gang to its members that were not asked. */
export type Broadcast = {
  readonly answer: 'restart-all' | 'stop-all';
  /** The key of the question. A member that receives it twice applies it once. */
  readonly of: string;
};
type BroadcastResult = { readonly sent: number };
