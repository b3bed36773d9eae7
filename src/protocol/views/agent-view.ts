/** A long-lived agent as clients see it, and the requests about it. */
import { z } from 'zod';
import { jsonRecord } from '../written-by-owner.ts';
import { AGENT_KINDS, AGENT_STATES, MESSAGE_MAX } from '../long-lived-agent.ts';
import { RunOutcome } from '../outcome.ts';

/** When clients show the agent: always, as a badge, or only if they show everything. */
const AgentVisibility = z.enum(['shown', 'badge', 'silent']);

export const AgentView = z.strictObject({
  /** Its id. `status`, `logs`, `why` and `answer` accept it too. */
  run: z.string(),
  name: z.string(),
  kind: z.enum(AGENT_KINDS),
  project: z.string(),
  assignment: z.string(),
  state: z.enum(AGENT_STATES),
  /** Since when, in milliseconds since 1970. */
  since: z.number(),
  /** The number of its lives. 0: none has started yet. */
  life: z.number().int(),
  turn: z.number().int(),
  /** The end of its cooldown, in milliseconds since 1970. Null: it is not cooling down. */
  coolingUntil: z.number().nullable(),
  /** How often it was restarted by its own fault. */
  restarts: z.number().int(),
  /** The agent that it belongs to: its run, and its name. */
  parent: z.strictObject({ run: z.string(), name: z.string() }).nullable(),
  /** Its place among the supervisors of its project: `agents/pool`. */
  supervisor: z.string(),
  declared: z.boolean(),
  visibility: AgentVisibility,
  /** It has used up its restarts, and waits for a person. */
  restartsExhausted: z.boolean(),
  /** The agent has ended and is not restarted any more. */
  ended: z.boolean(),
  /** How its last life ended, if it ended badly. */
  why: z.string().nullable(),
  outcome: RunOutcome.nullable(),
  openIssues: z.number().int(),
  commitments: z.array(
    z.strictObject({
      description: z.string(),
      /** Who asked for the commitment. */
      by: z.enum(['itself', 'parent']),
      status: z.enum(['pending', 'passed', 'failed']),
      failure: z.string().nullable(),
    }),
  ),
});
export type AgentView = z.infer<typeof AgentView>;

const line = z.string().min(1).max(8192);

export const SpawnRequest = z.strictObject({
  assignment: z.string().min(1).max(MESSAGE_MAX),
  /** The absolute path of the project. */
  project: z.string().startsWith('/'),
  name: z.string().optional(),
  kind: z.enum(AGENT_KINDS).optional(),
  /** The id or the name of an agent. Absent: the root of the project, where it has one. */
  parent: z.string().min(1).max(100).optional(),
  /** The id of a configured agent. */
  agent: z.string().optional(),
  model: z.string().min(1).max(200).optional(),
  budgetUsd: z.number().positive().optional(),
  budgetTokens: z.int().positive().optional(),
  /** The sections of the same name of an agent in the configuration, as they are written there. */
  sandbox: jsonRecord.optional(),
  restart: jsonRecord.optional(),
  violations: z.array(jsonRecord).max(50).optional(),
  /** The promise, and the command line that proves it. */
  commitments: z
    .array(z.strictObject({ what: z.string().min(1).max(500), command: line }))
    .max(50)
    .optional(),
  /** A folder with one file per task. */
  queue: z.string().startsWith('/').optional(),
  onDone: z.enum(['dismiss', 'wait', 'next']).optional(),
  /** Run the agent and the commands that prove its work without a sandbox. A child needs a parent without a sandbox. */
  unsafe: z.boolean().optional(),
  /** Settings from the command line, as `key=value`. */
  set: z.array(z.string()).default([]),
  /** Leave the project's own files out: the user's settings alone, and no trust is asked for. */
  untrusted: z.boolean().optional(),
});
export type SpawnRequest = z.input<typeof SpawnRequest>;

const FEEDBACK_MAX = 10_000;

/** A name is unique only in its project. An id needs no project. */
const project = z.string().startsWith('/').optional();

export const MessageRequest = z.strictObject({ text: z.string().min(1).max(MESSAGE_MAX), project });
export type MessageRequest = z.infer<typeof MessageRequest>;

export const DismissRequest = z.strictObject({
  because: z.string().min(1).max(1000).optional(),
  project,
});
export type DismissRequest = z.infer<typeof DismissRequest>;

export const RejectRequest = z.strictObject({
  /** What is wrong with its work. The next life gets this text. */
  feedback: z.string().min(1).max(FEEDBACK_MAX),
  project,
});
export type RejectRequest = z.infer<typeof RejectRequest>;

export const AgentsQuery = z.strictObject({ project });

export const DeclareRequest = z.strictObject({
  project: z.string().startsWith('/'),
  /** As for a spawn. */
  untrusted: z.boolean().optional(),
});

/** The result of starting the agents that the configuration of a project declares. */
export const DeclaredAgents = z.strictObject({
  started: z.array(AgentView),
  /** Agents that are active already, or have finished their task. */
  unchanged: z.array(z.string()),
  /** Active agents whose declaration has changed since they started. */
  changed: z.array(z.string()),
});
export type DeclaredAgents = z.infer<typeof DeclaredAgents>;
