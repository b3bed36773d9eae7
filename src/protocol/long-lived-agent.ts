/**
 * The stored form of a long-lived agent: its kinds, its states, and the settings that are pinned when it
 * is summoned. It is a run whose program is `agent`. Its run id is its id.
 */
import { z } from 'zod';
import { Grant, HealthPolicy, AgentRule, TriggerPolicy } from './agent-rules.ts';

/** One root; mortals that have a task; drones that have one errand; monitors that watch the others. */
export const AGENT_KINDS = ['root', 'mortal', 'drone', 'monitor'] as const;
export type AgentKind = (typeof AGENT_KINDS)[number];

export const AGENT_STATES = [
  'summoned',
  'working',
  'waiting-input',
  'waiting-wakeup',
  'verifying',
  'done',
  'failed-reaped',
  'dismissed-reaped',
  'gc',
] as const;
export type AgentState = (typeof AGENT_STATES)[number];

/** Properties that are independent of the state. */
export const AgentFlags = z
  .strictObject({
    /** It may not be idle while there is work. Waiting for a person does not count as idle. */
    perseverance: z.boolean(),
    userPresent: z.boolean(),
  })
  .readonly();
export type AgentFlags = z.infer<typeof AgentFlags>;

/** In characters. */
export const MESSAGE_MAX = 100_000;
export const ASSERTION_MS = 600_000;

export const PinnedCommitment = z
  .strictObject({
    description: z.string(),
    /** A command that Supervisor runs in a sandbox. The commitment holds if the command exits with 0. */
    assertion: z.tuple([z.string()], z.string()).readonly(),
    /** Who asked for the commitment. Those of both must hold. */
    by: z.enum(['itself', 'parent']),
    timeoutMs: z.int().positive(),
  })
  .readonly();
export type PinnedCommitment = z.infer<typeof PinnedCommitment>;

/** A commitment as an agent writes it in the answer of a turn. */
export const OwnCommitment = z
  .strictObject({
    what: z.string().trim().min(1).max(500),
    command: z.tuple([z.string().min(1).max(4000)], z.string().max(4000)),
  })
  .readonly();

/** Pinned under `longLived` in the settings of the run, beside the settings of attempts. */
export const LongLivedSettings = z
  .strictObject({
    /** Unique among the agents that have not ended. */
    name: z.string().regex(/^[a-z][a-z0-9-]{0,62}$/),
    kind: z.enum(AGENT_KINDS),
    /** The run of the agent that it belongs to. */
    parent: z.string().nullable(),
    /** Its place in the tree of supervisors: `agents`, `agents/pool`, `agents/team/backend`. */
    supervisor: z.string(),
    /** The configuration declares it. Otherwise it was spawned at run time. */
    declared: z.boolean(),
    commitments: z.array(PinnedCommitment).readonly(),
    onDone: z.enum(['dismiss', 'wait', 'next']),
    queue: z
      .strictObject({ dir: z.string(), onEmpty: z.enum(['idle', 'hibernate', 'terminate']) })
      .readonly()
      .nullable(),
    flags: AgentFlags,
    grant: Grant,
    triggers: TriggerPolicy,
    health: HealthPolicy,
    violations: z.array(AgentRule).readonly(),
    restart: z
      .strictObject({
        type: z.enum(['permanent', 'transient', 'temporary']),
        restartsMax: z.int().nonnegative(),
        withinMs: z.int().positive(),
        backoff: z
          .strictObject({ baseMs: z.int().nonnegative(), maxMs: z.int().nonnegative() })
          .readonly()
          .nullable(),
      })
      .readonly(),
  })
  .readonly();
export type LongLivedSettings = z.infer<typeof LongLivedSettings>;
