/** The rules for a long-lived agent, as they are pinned in its first fact. The rooms that apply them import them from here. */
import { z } from 'zod';

/** In characters. */
const WORDS_MAX = 10_000;

const words = z.string().max(WORDS_MAX);
const amount = z.number().nonnegative();
const count = z.int().nonnegative();

/** Null: there is no cap. */
export const SpendingCaps = z
  .strictObject({
    usd: amount.nullable(),
    tokens: count.nullable(),
    calls: count.nullable(),
    wallMs: count.nullable(),
  })
  .readonly();
export type SpendingCaps = z.infer<typeof SpendingCaps>;

export const Grant = z
  .strictObject({
    /** Folders that it may write to; absolute. */
    writes: z.array(z.string()).readonly(),
    /** Folders that it may read, besides those. */
    reads: z.array(z.string()).readonly(),
    /** Hosts that it may reach, each by its name. */
    hosts: z.array(z.string()).readonly(),
    /** Other things by name, granted one by one. */
    capabilities: z.array(z.string()).readonly(),
    budget: SpendingCaps,
  })
  .readonly();
export type Grant = z.infer<typeof Grant>;

/** A condition under which it is pointless for an agent to continue as it is. */
export const Trigger = z.discriminatedUnion('kind', [
  /** It has spent its budget. */
  z.strictObject({ kind: z.literal('over-budget') }).readonly(),
  /** Its work was rejected. `feedback` says why. */
  z.strictObject({ kind: z.literal('wrong-changeset'), feedback: words }).readonly(),
  z.strictObject({ kind: z.literal('spinning'), call: words }).readonly(),
  /** So many children of one parent failed within a time window that the whole gang is likely on a wrong path. */
  z
    .strictObject({
      kind: z.literal('gang'),
      failed: count,
      /** A person was asked already, and wants all of them to restart. */
      decided: z.boolean().exactOptional(),
      /** The key of that question. An agent that receives it twice applies it once. */
      of: z.string().max(200).exactOptional(),
    })
    .readonly(),
  /** It asks to be dismissed. */
  z.strictObject({ kind: z.literal('asks-to-abort'), reason: words }).readonly(),
]);
export type Trigger = z.infer<typeof Trigger>;

const LeftoverWork = z.enum(['keep', 'discard']);

export const TriggerPolicy = z
  .strictObject({
    /** What happens to the work, by the reason for which its agent was ended. */
    workspace: z
      .strictObject({
        'over-budget': LeftoverWork,
        'wrong-changeset': LeftoverWork,
        spinning: LeftoverWork,
        gang: LeftoverWork,
        'asks-to-abort': LeftoverWork,
        crashed: LeftoverWork,
      })
      .readonly(),
    /** Models from weak to strong. An agent that is restarted for wrong work gets the next one. Empty: the same model again. */
    models: z.array(z.string()).readonly(),
    onGang: z.enum(['restart-all', 'ask']),
  })
  .readonly();
export type TriggerPolicy = z.infer<typeof TriggerPolicy>;

export const HealthPolicy = z
  .strictObject({
    /** An agent is spinning if so many of its last calls (twice that number) are identical, with no artefact between them. */
    spinCalls: z.int().positive(),
    /** The reaction to spinning. `restart` starts another life, `reap` ends the agent. */
    onSpin: z.enum(['none', 'notify', 'steer', 'pause', 'restart', 'reap']),
    /** Only if it is configured: how long an agent may be silent, and the reaction. */
    inactivity: z
      .strictObject({ afterMs: z.int().positive(), action: z.enum(['prod', 'reap']) })
      .readonly()
      .nullable(),
  })
  .readonly();
export type HealthPolicy = z.infer<typeof HealthPolicy>;

const folders = z.array(z.string()).readonly();

/** A rule about the actions of an agent. */
export const AgentRule = z
  .strictObject({
    name: z.string(),
    action: z.enum(['log', 'notify', 'pause', 'reap', 'warn']),
    when: z.discriminatedUnion('kind', [
      /** A write outside these folders. */
      z.strictObject({ kind: z.literal('outside'), folders }).readonly(),
      /** A write to the files that set its limits: rules, settings, roles, gates. */
      z.strictObject({ kind: z.literal('self-modification'), folders }).readonly(),
      z.strictObject({ kind: z.literal('over-budget'), usd: amount }).readonly(),
      z.strictObject({ kind: z.literal('too-many-children'), max: count }).readonly(),
      /** A connection to a host that is not listed. `*.example.com` stands for every host below it. */
      z
        .strictObject({ kind: z.literal('unknown-host'), hosts: z.array(z.string()).readonly() })
        .readonly(),
      /** A command that begins with these words. The folder of the program does not matter. */
      z
        .strictObject({ kind: z.literal('command'), words: z.array(z.string()).readonly() })
        .readonly(),
    ]),
  })
  .readonly();
export type AgentRule = z.infer<typeof AgentRule>;
