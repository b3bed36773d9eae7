/** The stored form of the commands of a workflow: what each takes and how it ends. */
import type { Json } from '../../base/json.ts';
import type { InterfaceChange } from '../answer.ts';
import type { AttemptsSubmission } from '../run-submission.ts';
import type { AcceptedGate } from '../words/accepted-gate.ts';
import type { ApprovalNeeds, ApprovalPolicy } from '../approval.ts';
import type { ClassifiedFailure } from './attempt-contract.ts';

/** A state of the work: a commit of the shadow repository, and the run whose workspace it belongs to. */
export type WorkPoint = {
  readonly run: string;
  /** The tree of that run; see `WorkspaceId`. */
  readonly tree: number;
  readonly commit: string;
  /** Names the content: two commits with the same files have the same one. */
  readonly content: string;
};

/** Prepares the run of a step: packs the context from the work, and writes the prompt. */
export type PrepareStepInput = {
  readonly project: string;
  readonly task: string;
  readonly step: string;
  readonly role: string;
  /** Null: no step has changed anything yet. */
  readonly work: WorkPoint | null;
  /** Values of earlier steps, by `step.name` and by `name`. */
  readonly outputs: Readonly<Record<string, Json>>;
  /** Why the step runs again, for the prompt. */
  readonly feedback: StepFeedback | null;
  /** `core`: only what is essential. `minimal`: stubs that compile. */
  readonly level: DegradationLevel;
  /** The conversation that the step continues. Absent: it begins a new one. */
  readonly continues?: StepConversation;
  /** Gates of the steps that follow directly: a red one continues the same conversation first. */
  readonly gatesOf: readonly string[];
  /** Asks the circuit breaker of the step. Absent: the step has none. */
  readonly breaker?: {
    readonly workflow: string;
    /** A person wants the step tried although its breaker is open. */
    readonly isForced: boolean;
  };
};

/** A conversation that an agent had in the run of a step, and how to find it again. */
export type AgentConversation = {
  readonly agent: string;
  readonly identity: string;
  readonly session: string;
};

export type StepConversation = AgentConversation & {
  /** The run whose home has it. */
  readonly run: string;
  /** The run that began it: the CLI looks it up by the folder that this run worked in. */
  readonly folderOf: string;
};

export type DegradationLevel = 'full' | 'core' | 'minimal';

export type PrepareStepResult =
  | {
      readonly kind: 'prepared';
      readonly submission: AttemptsSubmission;
      /** The breaker of the step has counted failures, so it has to know if the step passes. */
      readonly isCounted?: true;
    }
  /** The step is not started. */
  | { readonly kind: 'breaker-open'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };

/** What a step is told when it runs again. */
export type StepFeedback = {
  readonly category:
    | 'network'
    | 'cli_error'
    | 'validation'
    | 'parsing'
    | 'logic'
    | 'resource'
    | 'review'
    | 'person';
  /** Which time the step runs, from 2. */
  readonly visit: number;
  /** The step that the feedback comes from. */
  readonly from: string;
  /** The error, the output of a gate, the findings of a review, or the words of a person. */
  readonly text: string;
};

/** Reads what the run of a step left: its answer and its work. */
export type CollectStepInput = {
  readonly project: string;
  readonly run: string;
  /** Its work becomes the work of the run that collects it, whatever its answer is. */
  readonly chosen?: true;
  /** A later step may continue the conversation of its last attempt. */
  readonly conversation?: true;
  /** The commit that its work began from, if that is not its base: the files that it changed count from there. */
  readonly since?: string;
};
export type CollectStepResult = {
  /** As the input says. */
  readonly chosen?: true;
  /** In the form of its role. Null: it gave none. */
  readonly answer: Json;
  readonly summary: string;
  /** Of its last attempt, if it completed. Absent: it has none, or the input does not ask for it. */
  readonly conversation?: AgentConversation;
  /** Null: it left no work. */
  readonly work: (WorkPoint & WorkSize) | null;
  /** All files that differ from the commit that the input names. Absent: it names none, or there is no work. */
  readonly changedSince?: readonly string[];
  /** The state that its workspace started with. Null: it had no workspace. */
  readonly base: WorkPoint | null;
  /** Why its last attempt failed, if it did. */
  readonly failure: ClassifiedFailure | null;
  /** Gates that are red on its work and that a person accepted there. Absent: none. */
  readonly accepted?: readonly AcceptedGate[];
  /** Changes of locked interfaces that the agent asks for. Absent: none. */
  readonly interfaceChanges?: readonly InterfaceChange[];
  /** What its roles say to those who build on its work. Absent: nothing. */
  readonly notes?: readonly string[];
};

export type WorkSize = {
  readonly files: number;
  readonly added: number;
  readonly deleted: number;
  /** Some of the changed files. */
  readonly names: readonly string[];
};

/** Makes one commit of the work on a branch of the user's repository. The user's checkout is not touched. */
export type CommitWorkInput = {
  readonly project: string;
  readonly work: WorkPoint;
  /** Null: the commit is made on the branch that the user has checked out. */
  readonly branch: string | null;
  readonly message: string;
  /** Every gate was green on this work. */
  readonly isVerified?: boolean;
  /** Gates that are red on this work and that a person accepted. Absent: none. */
  readonly accepted?: readonly AcceptedGate[];
  readonly pullRequest: {
    readonly title: string;
    readonly body: string;
    readonly draft: boolean;
  } | null;
};
export type CommitWorkResult =
  | {
      readonly kind: 'committed';
      readonly branch: string;
      readonly commit: string;
      /** Null: none was wanted. */
      readonly pullRequest: string | null;
    }
  /** The work stays on its ref. */
  | { readonly kind: 'refused'; readonly why: string; readonly ref: string };

/** What a person approves: the result of a step, and exactly this state of the work. */
export type ApprovalSubject = WorkSize & {
  readonly step: string;
  /** The content of the work. Empty: there is none. */
  readonly work: string;
  /** Whose approval it needs. Absent: that of any person. */
  readonly needs?: ApprovalNeeds;
  /** Its time limit is over, and it stays open. */
  readonly parked?: true;
  /** The commit that the workflow makes after it. Absent: none. */
  readonly commit?: PlannedCommit;
};

export type PlannedCommit = {
  /** Null: the commit will be refused, because the user wants no branches. */
  readonly branch: string | null;
  readonly message: string;
  /** The title of the pull request that follows. Null: none does. */
  readonly pullRequest: string | null;
};

/** Finds out how risky the work is, from all of its files. */
export type AssessChangeInput = {
  readonly project: string;
  readonly work: WorkPoint;
  readonly policy: ApprovalPolicy;
  /** Whether every gate step was green on this work. */
  readonly gates: 'green' | 'red' | 'none';
  /** Why these gates prove less than they seem to. Absent: they were recorded before this was asked. */
  readonly gateLimits?: readonly string[];
  /** The share of lines that tests cover, in percent, as a gate measured it on this work. Absent: no gate did. */
  readonly coverage?: number;
  /** Changed files that no report of coverage has. */
  readonly unlisted?: readonly string[];
  /** The agent or a reviewer reports that callers have to change. */
  readonly breaking: boolean;
};
