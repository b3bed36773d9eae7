/** A long-lived agent as it is told to whoever asks, and what may be asked of it. */
import { z } from 'zod';
import { AGENT_KINDS, AGENT_STATES, MESSAGE_MAX } from '../long-lived-agent.ts';
import { RunOutcome } from '../outcome.ts';

/** As seen by a person: always, as a mark, or only where everything is wanted. */
export const AgentVisibility = z.enum(['shown', 'badge', 'silent']);

export const AgentView = z.strictObject({
  /** Its id; `status`, `logs`, `why` and `answer` take it too. */
  run: z.string(),
  name: z.string(),
  kind: z.enum(AGENT_KINDS),
  project: z.string(),
  assignment: z.string(),
  state: z.enum(AGENT_STATES),
  /** Since when, in milliseconds since 1970. */
  since: z.number(),
  /** Lives begun; 0: none yet. */
  life: z.number().int(),
  turn: z.number().int(),
  /** Until when it only waits for a limit to end, in milliseconds since 1970; null: it does not. */
  restsUntil: z.number().nullable(),
  /** How often it was restarted by its own fault. */
  restarts: z.number().int(),
  /** The agent that it belongs to: its run, and its name. */
  parent: z.strictObject({ run: z.string(), name: z.string() }).nullable(),
  /** Its place among the supervisors of its project: `agents/pool`. */
  supervisor: z.string(),
  declared: z.boolean(),
  visibility: AgentVisibility,
  /** It may not be restarted once more, and waits for a person. */
  spent: z.boolean(),
  /** Nobody restarts it any more: a body. */
  over: z.boolean(),
  /** How its last life ended, where that was no good end. */
  why: z.string().nullable(),
  outcome: RunOutcome.nullable(),
  openMatters: z.number().int(),
  commitments: z.array(
    z.strictObject({
      description: z.string(),
      /** Who asked for it. */
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
  /** What it promises, and the command that proves it, as one would type it. */
  commitments: z
    .array(z.strictObject({ what: z.string().min(1).max(500), command: line }))
    .max(50)
    .optional(),
  /** A folder with one file a task. */
  queue: z.string().startsWith('/').optional(),
  onDone: z.enum(['dismiss', 'wait', 'next']).optional(),
  /** Without a sandbox, it and what proves its work; a child only where its parent has none. */
  unsafe: z.boolean().optional(),
  /** Settings from the command line, as `key=value`. */
  set: z.array(z.string()).default([]),
  /** Leave the project's own files out: the user's settings alone, and no trust is asked for. */
  untrusted: z.boolean().optional(),
});
export type SpawnRequest = z.input<typeof SpawnRequest>;

const FEEDBACK_MAX = 10_000;

/** Names are those of one project; ids need none. */
const project = z.string().startsWith('/').optional();

export const MessageRequest = z.strictObject({ text: z.string().min(1).max(MESSAGE_MAX), project });
export type MessageRequest = z.infer<typeof MessageRequest>;

export const DismissRequest = z.strictObject({
  because: z.string().min(1).max(1000).optional(),
  project,
});
export type DismissRequest = z.infer<typeof DismissRequest>;

export const RejectRequest = z.strictObject({
  /** What is wrong with its work; the next life is told so. */
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

/** What became of the agents that the configuration of a project names. */
export const DeclaredAgents = z.strictObject({
  started: z.array(AgentView),
  /** Alive already, or done with what they were for. */
  kept: z.array(z.string()),
  /** Alive as they were declared before; the file says something else now. */
  changed: z.array(z.string()),
});
export type DeclaredAgents = z.infer<typeof DeclaredAgents>;
