/**
 * A workflow as its run pins it: the steps after templates, overrides and positions have been merged. A later
 * edit of a file changes later runs only.
 */
import type { AnswerKind } from './answer.ts';
import type { ApprovalPolicy } from './approval.ts';
import type { Json } from '../base/json.ts';
import type { AttemptSettings, PinnedGate } from './pinned-settings.ts';
import type { WorkPoint } from './contracts/workflow-contract.ts';

export type WorkflowDefinition = {
  readonly name: string;
  readonly description: string;
  readonly initialStep: string;
  /** By id, in the order of the files. */
  readonly steps: Readonly<Record<string, WorkflowStep>>;
  readonly limits: WorkflowLimits;
  readonly git: WorkflowGit;
  /** Absent: every step begins a new conversation. */
  readonly continuity?: WorkflowContinuity;
};

/** Which roles continue the conversation of their last step, and for how many steps. */
export type WorkflowContinuity = {
  readonly roles: readonly string[];
  /** After so many continued steps, the next one begins a new conversation. */
  readonly turnsMax: number;
};

export type WorkflowLimits = {
  /** How many steps may begin in all, repeated ones included. */
  readonly stepsMax: number;
  /** How often a step may be repeated after a failure, unless its policy says otherwise. */
  readonly retriesMax: number;
  /** How often work may go back from a review, a gate or a person to an earlier step. */
  readonly roundsMax: number;
  /** The tokens of a prompt of a role that sets no budget. Absent: the default of every role. */
  readonly tokensDefault?: number;
  /** A role with a larger budget gets this one. Absent: no bound besides its own. */
  readonly tokensMax?: number;
};

/** What happens with the branch and the commit at the end. */
export type WorkflowGit = {
  /** Such as `ai/{task_id}-{slug}`. Null: no branch is created. */
  readonly branchPattern: string | null;
  /** The commit is made without asking. */
  readonly autoCommit: boolean;
};

export type WorkflowStep = RoleStep | GateStep | HumanStep | ReviewStep | CommandStep | CommitStep;

type StepBase = {
  readonly id: string;
  readonly description: string;
  /** The step after this one. Null: the workflow ends here. */
  readonly next: string | null;
  /** The step that runs when this one failed for good. Null: a person decides. */
  readonly onFail: string | null;
  /** How long the step may take, without the time that it waits for people and limits. */
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  /** A person approves the result before the next step begins. */
  readonly humanApproval: boolean;
  /** A required step cannot be disabled. If a step that is not required fails for good, it is skipped. */
  readonly required: boolean;
  /** Names of values that later steps may use, each with its path in the step's answer, such as `summary`. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Values for templates of prompts, such as `coverage: 90`. */
  readonly config: Readonly<Record<string, Json>>;
};

/** An agent with a role does this step. */
export type RoleStep = StepBase & {
  readonly kind: 'role';
  readonly role: string;
  /** Where work goes that its own answer rejects, such as a review by one role. Null: as if it had failed. */
  readonly onReject: string | null;
  readonly contextScope: 'project' | 'component';
};

/** Supervisor runs checks on the work. */
export type GateStep = StepBase & {
  readonly kind: 'gate';
  readonly gates: readonly PinnedGate[];
};

/** The workflow waits for a person. */
export type HumanStep = StepBase & { readonly kind: 'human'; readonly onReject: string | null };

/** Several roles judge the same work, side by side. */
export type ReviewStep = StepBase & {
  readonly kind: 'review';
  readonly roles: readonly string[];
  readonly agree: 'all' | 'any' | 'majority';
  readonly onReject: string | null;
};

/** Supervisor runs a command in the sandbox, on the work. What it prints and writes is its result. */
export type CommandStep = StepBase & {
  readonly kind: 'command';
  readonly command: readonly string[];
  /** Patterns of files that the command may change. Its other changes fail the step. */
  readonly allowedWrites: readonly string[];
};

/** The work becomes a commit on a branch, and optionally a pull request. */
export type CommitStep = StepBase & {
  readonly kind: 'commit';
  /** Gates that must be green on exactly the tree that is committed. */
  readonly before: readonly PinnedGate[];
  readonly pullRequest: { readonly draft: boolean } | null;
};

/** How often a step is repeated and how long it waits before. */
export type RetryPolicy = {
  /** Including the first time. */
  readonly attemptsMax: number;
  readonly initialMs: number;
  readonly multiplier: number;
  readonly waitMaxMs: number;
  /** The share by which a wait may be longer or shorter. */
  readonly jitter: number;
  /** What follows when all attempts have failed: the `onFail` of the step, a person, or a simpler form of the task. */
  readonly whenUsedUp: 'fail' | 'ask' | 'degrade';
};

/** What a workflow pins beside the settings of its project. */
export type PinnedWorkflow = {
  readonly definition: WorkflowDefinition;
  /** Short and unique in the project, for the name of the branch. */
  readonly taskId: string;
  /** Every role that a step names. */
  readonly roles: Readonly<Record<string, PinnedRole>>;
  /** The files that the task is about, as the user named them. */
  readonly targets?: readonly string[];
  /** Which risk needs whose approval. Absent: any person may approve anything. */
  readonly approvals?: ApprovalPolicy;
  /** The files that the first step starts with, on their base. Absent: those of the project at that time. */
  readonly startsFrom?: WorkPoint;
};

/** A role as it was when the workflow was submitted, with the settings for the runs of its steps. */
export type PinnedRole = {
  readonly answer: AnswerKind;
  /** The merged role with its strategy and its templates, in the form of `src/brief/brief-parts.ts`. */
  readonly role: Json;
  /** A file of the project defines part of the role. */
  readonly isOfProject: boolean;
  /** Without a brief, which is prepared when a step begins. */
  readonly settings: AttemptSettings;
};
