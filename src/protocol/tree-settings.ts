/** The declared tree as the program reads it: supervisors, and agents with all that is said of them. */
import { z } from 'zod';
import { AGENT_KINDS, AgentFlags } from './life.ts';
import { Caps, HealthPolicy, Rule, TriggerPolicy } from './life-rules.ts';

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
export const AgentWish = z
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
    budget: Caps,
    sandbox: SandboxWish,
    restart: RestartWish,
    health: HealthPolicy,
    violations: z.array(Rule).readonly(),
    cut: TriggerPolicy,
    flags: AgentFlags,
  })
  .readonly();
export type AgentWish = z.infer<typeof AgentWish>;

/** One place of the tree, from the top: `team/backend`. */
export const TreePlace = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('supervisor'),
      path: z.string(),
      strategy: z.enum(['one-for-one', 'one-for-all', 'rest-for-one']),
      restartsMax: count,
      withinMs: count,
    })
    .readonly(),
  z.strictObject({ type: z.literal('agent'), path: z.string() }).readonly(),
]);
export type TreePlace = z.infer<typeof TreePlace>;

export const TreeSettings = z
  .strictObject({
    /** Parents before their children, siblings in the order of their start. */
    places: z.array(TreePlace).readonly(),
    /** Each with its place. */
    agents: z.array(z.strictObject({ path: z.string(), wish: AgentWish }).readonly()).readonly(),
    depthMax: count,
    childrenMax: count,
  })
  .readonly();
export type TreeSettings = z.infer<typeof TreeSettings>;
