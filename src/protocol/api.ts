/** The requests and answers of the owner's HTTP interface. Both ends check all messages with these schemas. */
import { z } from 'zod';
import { BEST_OF_MAX } from './best-of.ts';
import { ROLLED_BACK_MAX } from './event.ts';
import { AppliedView } from './views/applied-view.ts';
import type { RefusalData } from '../base/errors.ts';
import { ResumeChanges } from './resume-changes.ts';
import { REQUEST_BYTES_MAX } from './request-bytes.ts';

/** Raised when an old client could misread a new owner. The handshake refuses another version. */
export const PROTOCOL_VERSION = 2;

const TASK_BYTES_MAX = 1_000_000;
const NOTIFY_CHARS_MAX = 8192;

export const RunRequest = z.strictObject({
  task: z.string().min(1).max(TASK_BYTES_MAX),
  /** The absolute path of the project. */
  project: z.string().startsWith('/'),
  /** An agent's id; absent: the project's default. */
  agent: z.string().optional(),
  /** The model of the first agent, instead of its own. */
  model: z.string().min(1).max(200).optional(),
  /** The agents in their order. It replaces `agent` and the configured chain. */
  chain: z.array(z.string()).min(1).max(100).optional(),
  /** So many agents do the task side by side, and gates choose the best work. */
  bestOf: z.int().min(2).max(BEST_OF_MAX).optional(),
  /** One attempt and no recovery. */
  once: z.boolean().optional(),
  /** A person has the agent in their terminal from the start. */
  interactive: z.boolean().optional(),
  /** Try agents that are cooling down because of other runs. */
  ignoreCooldown: z.boolean().optional(),
  /** Settings from the command line, as `key=value`. They override all others. */
  set: z.array(z.string()).default([]),
  /** Gates besides those of the settings, each as a command line. */
  gates: z.array(z.string().max(8192)).max(50).optional(),
  /** The task is about tests: gates use the tests as the work has them. */
  includeTests: z.boolean().optional(),
  /** Gates that can't be protected count as proof. */
  acceptUnprotected: z.boolean().optional(),
  /** Refuse the run if no gate would verify its work. A workflow has gates as steps, and ignores this. */
  requireGate: z.boolean().optional(),
  /** Run no setup, and do not refuse gates that seem to need one. */
  withoutSetup: z.boolean().optional(),
  /** No gate runs on the base before the first attempt. */
  withoutBaseline: z.boolean().optional(),
  /** Let the agent run as the user, without a sandbox. */
  unsafe: z.boolean().optional(),
  /** A command or a URL that is notified when the run ends or asks. */
  notify: z.string().min(1).max(NOTIFY_CHARS_MAX).optional(),
  /** The address is that of the shell and not of the command: the same command from another shell is no other one. */
  isUsualNotify: z.boolean().optional(),
  /** The shell has a secret for notifications, so the owner must have it too. */
  signsNotify: z.boolean().optional(),
  /** The command applies or judges the work after the run, so the notification of the end waits for its conclusion. */
  concludes: z.boolean().optional(),
  /** The role of the agent. It defines the context, the prompt, the form of the answer and an agent. */
  role: z.string().max(64).optional(),
  /** The workflow that takes the task through its steps, by name. */
  workflow: z.string().min(1).max(64).optional(),
  /** The id of the task in the name of the workflow's branch. Absent: a random one. */
  taskId: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/i)
    .optional(),
  /** The targets of the role: files, folders or patterns, relative to the root of the project. */
  targets: z.array(z.string().min(1).max(1000)).max(200).optional(),
  /** Leave the project's own files out: the user's settings alone, and no trust is asked for. */
  untrusted: z.boolean().optional(),
});
export type RunRequest = z.input<typeof RunRequest>;

/** A step of a workflow, such as `implement` for its last visit or `implement#2` for its second one. */
const StepName = z.string().trim().min(1).max(200);

/** Where the fork begins: after a fact, or with a step of the workflow. */
export const ForkRequest = z.union([
  z.strictObject({ seq: z.number().int().min(1) }),
  z.strictObject({ step: StepName }),
]);
export type ForkPlace = z.infer<typeof ForkRequest>;
export const ResumeRequest = ResumeChanges.extend({
  /** The step of a workflow that is done again, with those after it. */
  from: StepName.exactOptional(),
}).optional();
export type ResumeRequest = z.infer<typeof ResumeRequest>;

export const RunsQuery = z.strictObject({
  project: z.string().optional(),
  ended: z.stringbool().optional(),
  /** Only the runs that this run started. Absent: the lists for people leave such runs out. */
  parent: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(50),
});
export type RunsRequest = z.output<typeof RunsQuery>;

/** A person's words for a run: its id, the beginning of its id, `last`, or the name of an agent. */
export const FindQuery = z.strictObject({
  reference: z.string().min(1).max(1000),
  /** The folder of the person. */
  project: z.string().startsWith('/').optional(),
  /** What is to be changed is never guessed: then `last` and names mean nothing outside the project. */
  purpose: z.enum(['read', 'change']).default('read'),
});
export type FindRequest = z.output<typeof FindQuery>;
export type FindPurpose = FindRequest['purpose'];
export const FoundRun = z.strictObject({ run: z.string() });

export const EventsQuery = z.strictObject({
  run: z.string().optional(),
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(10_000).default(500),
  /** The last events instead of the first ones after `after`, in the same order. */
  newest: z.stringbool().default(false),
});

/** Milliseconds since 1970. */
export const ReportQuery = z.strictObject({ since: z.coerce.number().min(0).default(0) });

export const StepsReportQuery = ReportQuery.extend({
  /** The name of a workflow. Absent: all. */
  template: z.string().min(1).exactOptional(),
});

export const OutputQuery = z.strictObject({
  /** Stay until the run ends. */
  follow: z.stringbool().default(false),
  /** Only attempts that began after this fact. */
  after: z.coerce.number().int().min(0).default(0),
  /** The agent's text, in whole lines. Otherwise its raw output. */
  words: z.stringbool().default(false),
  /** With `words`: also Supervisor's own log, the output of gates, and the agent's final message. */
  whole: z.stringbool().default(false),
  /** The recorded model calls instead of the output, one line of JSON each. */
  calls: z.stringbool().default(false),
});
export type OutputRequest = z.output<typeof OutputQuery>;

/** One piece of an agent's output. */
export const OutputChunk = z.strictObject({
  key: z.string(),
  stream: z.enum(['stdout', 'stderr', 'calls']),
  text: z.string(),
  /** What printed it, for a person: `gate test: npm test`. */
  title: z.string().exactOptional(),
});
export type OutputChunk = z.infer<typeof OutputChunk>;

/** A question of a run to a person. */
export const AnswerRequest = z.strictObject({
  choice: z.string().min(1).max(10_000),
  /** The key of the question. Absent: the oldest. */
  key: z.string().optional(),
  /** By how much a spent budget is raised; absent: by as much again. */
  budgetUsd: z.number().positive().optional(),
  /** The same for a budget in tokens. With the choice `cap`: how many tokens the run may use in all. */
  budgetTokens: z.int().positive().optional(),
});
export type AnswerRequest = z.infer<typeof AnswerRequest>;

/** In characters. */
const COMMIT_MESSAGE_MAX = 10_000;

export const ApplyRequest = z.strictObject({
  /** A new branch of the user's repository instead of their working tree. */
  branch: z.string().min(1).max(200).optional(),
  /** The first line of the commit on that branch. Absent: the first line of the task. */
  message: z.string().min(1).max(COMMIT_MESSAGE_MAX).optional(),
  /** Also changes of `.supervisor`. */
  includeSettings: z.boolean().optional(),
  /** Also files that tools run automatically. */
  includeExecuting: z.boolean().optional(),
  /** Also tests of the base that the work changed, deleted or skips. */
  includeTests: z.boolean().optional(),
  /** Also the work of a run that did not succeed. */
  evenIfFailed: z.boolean().optional(),
});
export type ApplyRequest = z.infer<typeof ApplyRequest>;

/** A change that is applied only if a person agrees: see the flags of `ApplyRequest`. */
export const Approval = z.strictObject({
  path: z.string(),
  needs: z.enum(['settings', 'executing', 'tests']),
  why: z.string(),
});
export type Approval = z.infer<typeof Approval>;

/** The changes that the agent of a run has made. */
export const WorkDiff = z.strictObject({
  /** The commit that holds the work. */
  commit: z.string(),
  /** A unified diff. It comes from an agent, so its control characters may be harmful. */
  text: z.string(),
  /** The number of files that are too large for the text. */
  leftOut: z.number().int(),
  /** Null: the file is not text. */
  files: z.array(
    z.strictObject({
      path: z.string(),
      added: z.number().int().nullable(),
      removed: z.number().int().nullable(),
    }),
  ),
  /** The changes that `apply` takes only with a flag. */
  approvals: z.array(Approval),
  applied: AppliedView.nullable(),
});
export type WorkDiff = z.infer<typeof WorkDiff>;

export const Applied = z.strictObject({
  commit: z.string(),
  files: z.number().int(),
  /** Files that both the user and the agent had changed. */
  merged: z.number().int(),
  branch: z.string().nullable(),
  /** The commit on that branch. */
  made: z.string().nullable(),
  /** The branch that was checked out when the files were changed. */
  onto: z.string().nullable(),
});
export type Applied = z.infer<typeof Applied>;

/** The files that an apply had changed are as they were before it. */
export const Undone = z.strictObject({ commit: z.string(), files: z.number().int() });
export type Undone = z.infer<typeof Undone>;

/** The commit with the applied files, made by the user's own git. */
export const CommittedRequest = z.strictObject({
  made: z.string().regex(/^[0-9a-f]{40,64}$/),
  branch: z.string().max(1000).nullable(),
});
export type CommittedRequest = z.infer<typeof CommittedRequest>;

/** What the user's own git did with the work of a run. */
export const MovedRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('merged'),
    branch: z.string().max(1000),
    into: z.string().max(1000),
    made: z.string().regex(/^[0-9a-f]{40,64}$/),
  }),
  z.strictObject({
    kind: z.literal('rolled-back'),
    how: z.enum(['reverted', 'branch-deleted', 'branch-shortened']),
    commits: z.array(z.string().regex(/^[0-9a-f]{40,64}$/)).max(ROLLED_BACK_MAX),
    /** Only this phase of a feature. */
    phase: z.string().max(100).exactOptional(),
    /** Only in this project, which is not that of the run. */
    project: z.string().max(4096).exactOptional(),
  }),
]);
export type MovedRequest = z.infer<typeof MovedRequest>;

/** What `apply --commit` needs to make its commit. */
export const ApplyDetails = z.strictObject({
  applied: AppliedView.nullable(),
  /**
   * The files that the last apply changed, and the git hash of each before it: null if there was none. Empty once it is
   * undone.
   */
  files: z.array(z.strictObject({ path: z.string(), before: z.string().nullable() })),
  /** The message of a commit with this work, without a `Signed-off-by`. */
  message: z.string(),
});
export type ApplyDetails = z.infer<typeof ApplyDetails>;

/** `stays`: a ref can't hold some of the work, so the workspace is left in place. */
export const Discarded = z.strictObject({
  kind: z.enum(['gone', 'stays']),
  ref: z.string(),
  /** Where the workspace is, and the files that a ref can't hold. Absent: it is gone. */
  left: z.strictObject({ folder: z.string(), files: z.array(z.string()) }).exactOptional(),
  /** There was no workspace any more. */
  wasGone: z.literal(true).exactOptional(),
});
export type Discarded = z.infer<typeof Discarded>;

/** The artifacts of the attempts of a run. The names come from agents and are checked. */
export const RunArtifacts = z.strictObject({
  files: z.array(
    z.strictObject({ attempt: z.string(), path: z.string(), bytes: z.number().int() }),
  ),
  /** Files that were not accepted, and why. */
  refused: z.array(z.strictObject({ attempt: z.string(), path: z.string(), why: z.string() })),
});
export type RunArtifacts = z.infer<typeof RunArtifacts>;

export const CopyRequest = z.strictObject({
  /** The absolute path of a folder. It is created if it does not exist. */
  to: z.string().startsWith('/').max(4096),
});
export type CopyRequest = z.infer<typeof CopyRequest>;

/** The owner, as the handshake describes it. An owner of a newer version may send more fields. */
export const OwnerView = z.object({
  product: z.literal('supervisor'),
  protocol: z.number().int(),
  version: z.string(),
  pid: z.number().int(),
  startedAt: z.number(),
  home: z.string(),
  runs: z.number().int(),
  commands: z.number().int(),
  /** The address where it answers besides its socket: `http://127.0.0.1:4242`. */
  api: z.string().nullable(),
  /** It does not exit when it is idle. */
  staysWhenIdle: z.boolean(),
  /** Runs that can't continue, and why: a defect of Supervisor or a damaged fact. A run with a damaged fact may be in no list. */
  defects: z.array(
    z.strictObject({
      run: z.string(),
      message: z.string(),
      damaged: z.literal(true).exactOptional(),
    }),
  ),
});
export type OwnerView = z.infer<typeof OwnerView>;

export const ErrorBody: z.ZodType<{ readonly error: RefusalData }> = z.object({
  error: z.custom<RefusalData>(
    (value) => z.object({ code: z.string(), message: z.string() }).safeParse(value).success,
  ),
});

export function tooLarge(): RefusalData {
  return {
    code: 'request.invalid',
    message: `The request has more than ${REQUEST_BYTES_MAX} bytes.`,
  };
}
