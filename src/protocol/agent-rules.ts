/** The rules that a long-lived agent is held to, as they are pinned into its first fact. The rooms that judge by them import them from here. */
import { z } from 'zod';

/** In characters. */
const WORDS_MAX = 10_000;

const words = z.string().max(WORDS_MAX);
const amount = z.number().nonnegative();
const count = z.int().nonnegative();

/** A cap that is null is no cap. */
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

/** What makes it pointless that an agent goes on as it is. */
export const Trigger = z.discriminatedUnion('kind', [
  /** It has spent what it was given. */
  z.strictObject({ kind: z.literal('over-budget') }).readonly(),
  /** What it made is not what was wanted; `feedback` says why. */
  z.strictObject({ kind: z.literal('wrong-changeset'), feedback: words }).readonly(),
  z.strictObject({ kind: z.literal('spinning'), call: words }).readonly(),
  /** So many of a parent's children failed within a while: the whole gang is on a wrong path. */
  z
    .strictObject({
      kind: z.literal('gang'),
      failed: count,
      /** A person was asked already, and wants all of them to begin again. */
      decided: z.boolean().exactOptional(),
      /** Which question that was: who hears of it again has heard of it. */
      of: z.string().max(200).exactOptional(),
    })
    .readonly(),
  /** It asks to be let go itself. */
  z.strictObject({ kind: z.literal('asks-to-abort'), reason: words }).readonly(),
]);
export type Trigger = z.infer<typeof Trigger>;

const Kept = z.enum(['keep', 'discard']);

export const TriggerPolicy = z
  .strictObject({
    /** What becomes of the work, by the reason for which its agent was ended. */
    workspace: z
      .strictObject({
        'over-budget': Kept,
        'wrong-changeset': Kept,
        spinning: Kept,
        gang: Kept,
        'asks-to-abort': Kept,
        crashed: Kept,
      })
      .readonly(),
    /** Models from weak to strong; one that is restarted for wrong work gets the next. Empty: the same again. */
    models: z.array(z.string()).readonly(),
    onGang: z.enum(['restart-all', 'ask']),
  })
  .readonly();
export type TriggerPolicy = z.infer<typeof TriggerPolicy>;

export const HealthPolicy = z
  .strictObject({
    /** So many identical calls among twice as many, with no artefact between them, are spinning. */
    spinCalls: z.int().positive(),
    /** What is done about spinning. `restart` begins another life, `reap` is its end. */
    onSpin: z.enum(['none', 'notify', 'steer', 'pause', 'restart', 'reap']),
    /** Only where somebody asked for it: how long without a sign is too long, and what then. */
    inactivity: z
      .strictObject({ afterMs: z.int().positive(), action: z.enum(['prod', 'reap']) })
      .readonly()
      .nullable(),
  })
  .readonly();
export type HealthPolicy = z.infer<typeof HealthPolicy>;

const folders = z.array(z.string()).readonly();

/** A rule about what an agent may try. */
export const AgentRule = z
  .strictObject({
    name: z.string(),
    action: z.enum(['log', 'notify', 'pause', 'reap', 'warn']),
    when: z.discriminatedUnion('kind', [
      /** A write outside of these folders. */
      z.strictObject({ kind: z.literal('outside'), folders }).readonly(),
      /** A write to what sets its limits: rules, settings, roles, gates. */
      z.strictObject({ kind: z.literal('self-modification'), folders }).readonly(),
      z.strictObject({ kind: z.literal('over-budget'), usd: amount }).readonly(),
      z.strictObject({ kind: z.literal('too-many-children'), max: count }).readonly(),
      /** A host that is none of these; `*.example.com` is every host below it. */
      z
        .strictObject({ kind: z.literal('unknown-host'), hosts: z.array(z.string()).readonly() })
        .readonly(),
      /** A program that begins with these words; its folder does not matter. */
      z
        .strictObject({ kind: z.literal('command'), words: z.array(z.string()).readonly() })
        .readonly(),
    ]),
  })
  .readonly();
export type AgentRule = z.infer<typeof AgentRule>;
