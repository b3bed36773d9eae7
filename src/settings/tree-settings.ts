/** The declared tree as the program reads it: supervisors, and agents with all that is said of them. */
import { z } from 'zod';
import { TreePlace } from '../protocol/tree-place.ts';
import { AGENT_KINDS, AgentFlags } from '../protocol/long-lived-agent.ts';
import { SpendingCaps, HealthPolicy, AgentRule, TriggerPolicy } from '../protocol/agent-rules.ts';

const count = z.int().nonnegative();

/** Null: as its kind, its parent or its project has it. */
const SandboxWish = z
  .strictObject({
    mounts: z
      .array(
        z.strictObject({ from: z.string(), to: z.string(), mode: z.enum(['ro', 'rw']) }).readonly(),
      )
      .readonly()
      .nullable(),
    toolchains: z.array(z.string()).readonly().nullable(),
    hosts: z.array(z.string()).readonly().nullable(),
    memoryBytes: count.nullable(),
    cpus: z.number().positive().nullable(),
    pids: count.nullable(),
  })
  .readonly();

const RestartWish = z
  .strictObject({
    type: z.enum(['permanent', 'transient', 'temporary']).nullable(),
    restartsMax: count.nullable(),
    withinMs: count.nullable(),
    backoffBaseMs: count.nullable(),
    backoffMaxMs: count.nullable(),
  })
  .readonly();

/** What is wanted of one agent. */
export const AgentRequest = z
  .strictObject({
    name: z.string(),
    kind: z.enum(AGENT_KINDS),
    assignment: z.string(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
    commitments: z
      .array(
        z.strictObject({ what: z.string(), command: z.array(z.string()).readonly() }).readonly(),
      )
      .readonly(),
    queue: z
      .strictObject({ dir: z.string(), onEmpty: z.enum(['idle', 'hibernate', 'terminate']) })
      .readonly()
      .nullable(),
    onDone: z.enum(['dismiss', 'wait', 'next']),
    budget: SpendingCaps,
    sandbox: SandboxWish,
    restart: RestartWish,
    health: HealthPolicy,
    violations: z.array(AgentRule).readonly(),
    cut: TriggerPolicy,
    flags: AgentFlags,
  })
  .readonly();
export type AgentRequest = z.infer<typeof AgentRequest>;

export const TreeSettings = z
  .strictObject({
    /** Parents before their children, siblings in the order of their start. */
    places: z.array(TreePlace).readonly(),
    /** Each with its place. */
    agents: z.array(z.strictObject({ path: z.string(), wish: AgentRequest }).readonly()).readonly(),
    depthMax: count,
    childrenMax: count,
  })
  .readonly();
export type TreeSettings = z.infer<typeof TreeSettings>;
