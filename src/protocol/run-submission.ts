/** The request for a run, as its first fact stores it. */
import { z } from 'zod';
import { ParentLink } from './child-run.ts';
import { LearnedChoice } from './learned-choice.ts';
import { LoginExpiry } from './words/login-expiry.ts';
import type { AGENT_PROGRAM } from './agent-program-name.ts';
import type { ABLATION_PROGRAM } from './ablation.ts';
import type { BEST_OF_PROGRAM } from './best-of.ts';
import type { FEATURE_PROGRAM } from './feature.ts';
import type { PLANNING_PROGRAM } from './planning.ts';
import type {
  AblationRunSettings,
  AgentRunSettings,
  AttemptSettings,
  BestOfRunSettings,
  FeatureRunSettings,
  PlanningRunSettings,
  WorkflowRunSettings,
} from './pinned-settings.ts';
import { jsonRecord, writtenByOwner } from './written-by-owner.ts';

export const REQUEST_KEY_MAX = 200;

/**
 * The request that a fact was written for: the key that the caller chose, and a digest of the request. A
 * caller that lost the answer asks again with the same key, and the fact shows that it was done.
 */
export const RequestMark = z.strictObject({
  key: z.string().max(REQUEST_KEY_MAX),
  digest: z.string(),
});
export type RequestMark = z.infer<typeof RequestMark>;

type SubmissionOf<Program extends string, Settings> = {
  readonly program: Program;
  readonly task: string;
  /** The absolute path of the project that the run belongs to. */
  readonly project: string;
  /** Pinned when submitted: a later edit of a file changes later runs only. */
  readonly settings: Settings;
  /** Where a notification goes when the run ends or asks: a command, or a URL. */
  readonly notify?: string | undefined;
  /** Its notifications go to a URL with a signature. Without the secret they are not sent. */
  readonly signs?: true;
  /** The notification of the end waits until the command that submitted the run has concluded it. */
  readonly concludes?: true;
  /** The PATH of the shell that submitted it: programs of agents, gates and setups are found there. */
  readonly path?: string;
  /** The login of its first agent, if it was about to expire. */
  readonly login?: LoginExpiry;
  /** What a person asked for when they resumed another run as this one. Its task contains the message. */
  readonly resumed?: AskedAtResume;
  /** What the record of earlier attempts says about its first agent. Absent: nothing. */
  readonly choice?: LearnedChoice;
  readonly request?: RequestMark;
  /** The command that started it. Absent: a person submitted it. */
  readonly parent?: ParentLink;
};

/** The agent of the next attempt, and a text that its prompt must contain. */
export const AskedAtResume = z.strictObject({
  agent: z.string().exactOptional(),
  message: z.string().exactOptional(),
});
export type AskedAtResume = z.infer<typeof AskedAtResume>;

/** A request for a run: the task, the project, and the program with its pinned settings. */
export type Submission =
  | AttemptsSubmission
  | AgentSubmission
  | WorkflowSubmission
  | AblationSubmission
  | FeatureSubmission
  | PlanningSubmission
  | BestOfSubmission;
export type AttemptsSubmission = SubmissionOf<typeof ATTEMPTS_PROGRAM, AttemptSettings>;
export type AgentSubmission = SubmissionOf<typeof AGENT_PROGRAM, AgentRunSettings>;

export type WorkflowSubmission = SubmissionOf<typeof WORKFLOW_PROGRAM, WorkflowRunSettings>;
export type AblationSubmission = SubmissionOf<typeof ABLATION_PROGRAM, AblationRunSettings>;
export type BestOfSubmission = SubmissionOf<typeof BEST_OF_PROGRAM, BestOfRunSettings>;
export type FeatureSubmission = SubmissionOf<typeof FEATURE_PROGRAM, FeatureRunSettings>;
export type PlanningSubmission = SubmissionOf<typeof PLANNING_PROGRAM, PlanningRunSettings>;

/** The name of the program of plain runs, in a run's first event. */
export const ATTEMPTS_PROGRAM = 'attempts';
/** The name of the program that takes a task through the steps of a workflow. */
export const WORKFLOW_PROGRAM = 'workflow';

export const Submission = writtenByOwner<Submission>(
  z.strictObject({
    program: z.string(),
    task: z.string(),
    project: z.string(),
    settings: jsonRecord,
    notify: z.string().optional(),
    signs: z.literal(true).exactOptional(),
    concludes: z.literal(true).exactOptional(),
    path: z.string().exactOptional(),
    login: LoginExpiry.exactOptional(),
    resumed: AskedAtResume.exactOptional(),
    choice: LearnedChoice.exactOptional(),
    request: RequestMark.exactOptional(),
    parent: ParentLink.exactOptional(),
  }),
);
