/** The stored form of an attempt: its input, its notes, its outcome. */
import type { RefusalCode } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import type { FailureReason } from '../failure-reason.ts';
import type { AttemptSettings } from '../pinned-settings.ts';
import type { StepConversation } from './workflow-contract.ts';
import type { CallHold } from '../words/call-hold.ts';
import type { LoginExpiry } from '../words/login-expiry.ts';
import type {
  DeliverMessageInput,
  MessageSeenNote,
  MessageVerb,
  SentMessage,
} from '../run-message.ts';
import type { BudgetNote } from '../views/budget-view.ts';
import type { QuotaView } from '../views/quota-view.ts';
import type { PaceNote, ReportFailedNote } from './organization-contract.ts';
import type { AnomalyNote, DetectorDefectNote } from './steering-contract.ts';
import type { TAKEOVER_ENDS } from '../takeover.ts';
import type { TurnNote } from '../turn.ts';

/** The performer gets everything, so that it needs no other memory. */
export type AttemptInput = Omit<
  AttemptSettings,
  'chain' | 'order' | 'fallbacks' | 'recovery' | 'capacity' | 'gates' | 'setup' | 'continues'
> & {
  /** The conversation of an earlier step that its run continues. Its home and its folder are needed for that. */
  readonly continues?: Pick<StepConversation, 'run' | 'folderOf'>;
  /** With a brief: the text before it. */
  readonly prompt: string;
  readonly project: string;
  /** The name of the setup's result; null or absent: there is none. */
  readonly setupKey?: string | null;
  readonly number: number;
  /** Whether another agent of the chain could take over at once. */
  readonly replaceable?: boolean;
  readonly why: DecisionReason;
  /** The agent's own conversation to continue, and the text that it gets instead of the prompt. */
  readonly resume: string | null;
  readonly resumePrompt: string | null;
  /** The message that its prompt ends with. */
  readonly message?: SentMessage;
  /** The role in the project's organization that a long-lived agent has by its name. */
  readonly member?: string;
  /** Which of the run's trees it works in; absent: the first. */
  readonly tree?: number;
  /** Whether the notes and the status line of its final message are read. */
  readonly readsNotes?: boolean;
};

/** An agent that comes earlier in the chain and is cooling down until a time. */
export type PassedOver = {
  readonly agent: string;
  readonly until: number;
  /** It is not cooling down yet: its window would not hold one more attempt. */
  readonly isClosing?: true;
};

/** Why an attempt started. */
export type DecisionReason =
  | { readonly kind: 'first'; readonly passedOver?: readonly PassedOver[] }
  /** The same agent again: the `nth` of so many retries, after a wait. */
  | { readonly kind: 'retry'; readonly nth: number; readonly of: number; readonly waitMs: number }
  | {
      readonly kind: 'switch';
      readonly from: string;
      /** That agent gets nowhere: so many of its attempts in a row changed no file. */
      readonly unchanged?: number;
      readonly passedOver?: readonly PassedOver[];
    }
  /** The same agent, restarted after a crash; no retry is used up. */
  | { readonly kind: 'restart'; readonly exit: number | null }
  /** The last attempt was interrupted: its owner died. */
  | { readonly kind: 'interrupted' }
  /** The agent's cooldown has ended. */
  | { readonly kind: 'cooled-down' }
  /** A gate was red, and the same agent fixes it. */
  | { readonly kind: 'gate'; readonly gate: string; readonly nth: number; readonly of: number }
  /** The agent asked a question. It gets the instruction to decide itself, or the answer of a person. */
  | { readonly kind: 'unattended' }
  | { readonly kind: 'answered' }
  /** Its answer was cut for its length, and it continues in the same conversation. */
  | { readonly kind: 'cut-short'; readonly nth: number; readonly of: number }
  /** It continues the conversation that it had in this run, which did an earlier step of the workflow. */
  | { readonly kind: 'continued'; readonly run: string }
  /** Its conversation could not be resumed. */
  | { readonly kind: 'new-session' }
  /** A message waits, and the turn of the agent is over or was stopped for it. */
  | { readonly kind: 'message'; readonly verb: MessageVerb }
  /** A person has it in their terminal: its own program, or a shell in its sandbox. */
  | { readonly kind: 'takeover'; readonly shell?: true }
  /** The person has handed it back. */
  | { readonly kind: 'handed-back' }
  /** A person named this agent when they resumed the run. */
  | { readonly kind: 'named' }
  /** A turn of a long-lived agent. */
  | {
      readonly kind: 'turn';
      readonly life: number;
      readonly cause: TurnCause;
    };

/** Why a long-lived agent has another turn. */
export type TurnCause = 'first' | 'restarted' | 'interrupted' | 'message' | 'queue' | 'continue';

/** A note that is recorded while an attempt runs. */
export type AttemptNote =
  | StartedNote
  /** The agent has named its conversation. */
  | { readonly kind: 'session'; readonly session: string }
  | CommitNote
  /** The work could not be committed. */
  | { readonly kind: 'not-committed'; readonly message: string }
  | BudgetNote
  | ({ readonly kind: 'quota' } & Readonly<QuotaView>)
  /** What the gateway removed from the agent's requests, once per name. */
  | { readonly kind: 'removed'; readonly names: readonly string[] }
  | TurnNote
  | MessageSeenNote
  | AnomalyNote
  | DetectorDefectNote
  | PaceNote
  | ReportFailedNote
  | TakeoverEndedNote
  | { readonly kind: 'gateway-failed'; readonly message: string }
  /** The login that it uses is about to expire. */
  | ({ readonly kind: 'login-expires' } & LoginExpiry)
  /** The gateway keeps a model call back, because of a short limit or trouble of its provider. */
  | ({ readonly kind: 'call-held' } & CallHold)
  /** How many model calls are in the recording. */
  | {
      readonly kind: 'recorded';
      readonly calls: number;
      readonly leftOut: number;
      readonly failure?: string;
    };

/** A person no longer has the agent in their terminal. */
export type TakeoverEndedNote = {
  readonly kind: 'takeover-ended';
  /** They left its program, or the terminal; the terminal was lost, or never came; or something else ended it. */
  readonly how: (typeof TAKEOVER_ENDS)[number];
  /** The exit code of the program. Null: it was ended. */
  readonly exit: number | null;
};

/** A process of an attempt, a gate or a setup has started. */
export type StartedNote = {
  readonly kind: 'started';
  readonly pid: number | null;
  readonly sandbox: string;
  /** Which mechanism enforces each limit. */
  readonly enforced?: Json;
  readonly container?: string | null;
  readonly setup?: string;
  readonly hosts?: readonly string[];
  /** Names of the configuration files that the agent got a copy of. */
  readonly config?: readonly string[];
  readonly granted?: readonly string[];
  /** How messages reach the agent while it works. Absent: not at all. */
  readonly messages?: DeliverMessageInput['channel'];
};

/** The work in a tree was committed. */
export type CommitNote = {
  readonly kind: 'committed';
  readonly ref: string;
  readonly commit: string;
  /** Names the content of the tree: two commits with the same files have the same one. */
  readonly content: string;
  readonly base: string;
  readonly root: string;
  readonly tree: number;
  readonly files: number;
  readonly added: number;
  readonly deleted: number;
  /** Some of the changed files. */
  readonly names: readonly string[];
  readonly oddities: number;
  readonly ignored: number;
};

/** The known facts about an attempt, however it ended. */
export type AttemptFacts = {
  /** The agent's own name for its conversation. */
  readonly session?: string | null;
  /** Whether files were changed; null: unknown. */
  readonly changed?: boolean | null;
  readonly usage?: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  } | null;
  /** As a shell reports it: a signal is 128 and more. Null: it never started. */
  readonly exit?: number | null;
};

/** How one attempt ended. It ends exactly once, in exactly one of these. */
export type AttemptOutcome =
  /** The agent says that it is done; no gate has checked the work. */
  | (AttemptFacts & {
      readonly kind: 'completed';
      readonly summary: string;
      /** Its answer, in the form that its role requires. */
      readonly answer?: Json;
      /** For an attempt that `readsNotes`: its status line and its notes. */
      readonly turnNotes?: TurnNotes;
    })
  | FailedAttempt
  | { readonly kind: 'stopped' };

export type FailedAttempt = AttemptFacts & {
  readonly kind: 'failed';
  readonly reason: FailureReason;
  readonly message: string;
  /** The code of the refusal, if the agent was not started because of one. */
  readonly refusal?: RefusalCode;
  /** Its class and its evidence; absent if nothing was started. */
  readonly failure?: ClassifiedFailure;
  readonly answer?: Json;
};

/** The messages of a long-lived agent to others at the end of a turn. */
export type TurnNotes = {
  /** The last line: its status. */
  readonly statusLine: string;
  /** Lines that begin with `NOTE: `, without that prefix. Each appears once, in order. */
  readonly notes: readonly string[];
  /** Lines of its last answer that begin with `COMMIT: `, without that prefix. Absent: there are none. */
  readonly commitments?: readonly string[];
};

/** Why an attempt failed, and what follows from it. */
export type ClassifiedFailure = FailureClass & {
  readonly reason: FailureReason;
  /** One sentence or less, of the provider, the CLI or Supervisor. */
  readonly message: string;
  /** When the limit ends, if the provider reported it. */
  readonly resetAt: number | null;
  readonly evidence: readonly EvidenceLine[];
  /** The model whose price is unknown. */
  readonly model?: string;
};

export type FailureClass = {
  readonly type: 'retryable' | 'rate_limit' | 'agent_failure' | 'fatal' | 'container_crash';
  readonly category: 'network' | 'cli_error' | 'validation' | 'parsing' | 'logic' | 'resource';
  readonly recovery: 'transient' | 'persistent' | 'terminal' | 'unknown';
  /** The cause: this attempt, the agent as it is configured, or the task itself. */
  readonly concerns: 'attempt' | 'identity' | 'run';
  /** Whether the identity cools down until its limit is reset. */
  readonly coolsDown: boolean;
};

/** The line that a classification is based on. */
export type EvidenceLine = {
  readonly source:
    | 'user'
    | 'deadline'
    | 'container'
    | 'gateway'
    | 'event'
    | 'stdout'
    | 'stderr'
    | 'exit';
  readonly line: string;
  readonly rule: string;
};
