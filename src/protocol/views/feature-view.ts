/** The request for a feature, and how far its run is. */
import { z } from 'zod';

const TEXT_CHARS_MAX = 300_000;
const CAPACITY_MAX = 100;

export const FeatureRequest = z.strictObject({
  /** The absolute path of the project. */
  project: z.string().startsWith('/'),
  /** The text of the feature's file, and its name for messages. */
  file: z.strictObject({ name: z.string().min(1).max(4096), text: z.string().max(TEXT_CHARS_MAX) }),
  capacity: z.int().min(1).max(CAPACITY_MAX),
  agent: z.string().exactOptional(),
  set: z.array(z.string()).default([]),
  unsafe: z.boolean().exactOptional(),
  untrusted: z.boolean().exactOptional(),
});
export type FeatureRequest = z.output<typeof FeatureRequest>;

export const COMPONENT_STATE_NAMES = [
  'pending',
  'implementing',
  'testing',
  'review',
  'merging',
  'complete',
  'failed',
] as const;

const FeatureComponentView = z.strictObject({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  state: z.enum(COMPONENT_STATE_NAMES),
  /** How many runs were started for it, and the last of them. */
  tries: z.int(),
  run: z.string().nullable(),
  /** Why it waits, was reopened or has failed. Empty: there is nothing to say. */
  why: z.string(),
  /** The key of the open question about it. */
  question: z.string().nullable(),
  /** Its commit on the integration branch. */
  commit: z.string().nullable(),
  files: z.array(z.string()),
  /** Files that it changed and did not declare. */
  undeclared: z.array(z.string()),
});
export type FeatureComponentView = z.infer<typeof FeatureComponentView>;

const RolledUpState = z.enum(['pending', 'in_progress', 'complete', 'failed']);

export const FeatureView = z.strictObject({
  run: z.string(),
  feature: z.string(),
  title: z.string(),
  branch: z.string(),
  capacity: z.int(),
  state: RolledUpState,
  phases: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      state: RolledUpState,
      components: z.array(FeatureComponentView),
    }),
  ),
  /** Ids of components: those that have landed in this order, and those that wait to be merged. */
  landed: z.array(z.strictObject({ id: z.string(), commit: z.string(), at: z.number() })),
  queue: z.array(z.string()),
  outcome: z.strictObject({ kind: z.string(), reason: z.string() }).nullable(),
});
export type FeatureView = z.infer<typeof FeatureView>;
