/** The request for a feature, and how far its run is. */
import { z } from 'zod';

const TEXT_CHARS_MAX = 300_000;
const CAPACITY_MAX = 100;
const NAME_MAX = 100;

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

export const PlanningRequest = z.strictObject({
  /** The absolute path of the project. */
  project: z.string().startsWith('/'),
  task: z.string().min(1).max(TEXT_CHARS_MAX),
  /** The id of the feature. */
  id: z.string().regex(/^P\d{1,4}T\d{1,4}$/),
  planner: z.string().min(1).max(NAME_MAX),
  /** Null: no role details the phases. */
  lead: z.string().min(1).max(NAME_MAX).nullable(),
  targets: z.array(z.string()).default([]),
  agent: z.string().exactOptional(),
  set: z.array(z.string()).default([]),
  unsafe: z.boolean().exactOptional(),
  untrusted: z.boolean().exactOptional(),
});
export type PlanningRequest = z.output<typeof PlanningRequest>;

/** What a run has planned so far. */
export const PlannedView = z.strictObject({
  run: z.string(),
  feature: z.string(),
  /** A feature file. Null: no valid one yet. */
  text: z.string().nullable(),
  risks: z.array(z.string()),
  outcome: z.strictObject({ kind: z.string(), reason: z.string() }).nullable(),
});
export type PlannedView = z.infer<typeof PlannedView>;

/** How a node of a graph ended, or that a component of it was skipped. */
export const NODE_RESULTS = ['green', 'red', 'yes', 'no', 'done', 'skipped'] as const;

export const COMPONENT_STATE_NAMES = [
  'pending',
  'implementing',
  'testing',
  'review',
  'merging',
  'complete',
  'failed',
] as const;

/** What a screen shows. `stopped`: it had begun, and the run of the feature ended before it did. */
export const SHOWN_STATE_NAMES = [...COMPONENT_STATE_NAMES, 'stopped'] as const;

const FeatureComponentView = z.strictObject({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  /** The name of its project. Null: the feature is about one. */
  project: z.string().nullable(),
  state: z.enum(SHOWN_STATE_NAMES),
  /** How many runs were started for it, and the last of them. */
  tries: z.int(),
  run: z.string().nullable(),
  /** Why it waits, was reopened or has failed. Empty: there is nothing to say. */
  why: z.string(),
  /** Null: it is built by agents, or has not ended. */
  result: z.enum(NODE_RESULTS).nullable(),
  /** The key of the open question about it. */
  question: z.string().nullable(),
  /** Its commit on the integration branch. */
  commit: z.string().nullable(),
  /** Ids of the components that it waits for: those that its file names, and those of earlier phases. */
  waitsFor: z.array(z.string()),
  /** What it declared that it may change. */
  declared: z.array(z.string()),
  /** What it has changed. */
  files: z.array(z.string()),
  /** Files that it changed and did not declare, and what it declared and did not change. */
  undeclared: z.array(z.string()),
  unchanged: z.array(z.string()),
});
export type FeatureComponentView = z.infer<typeof FeatureComponentView>;

export const ROLLED_UP_NAMES = ['pending', 'in_progress', 'complete', 'failed', 'stopped'] as const;
const RolledUpState = z.enum(ROLLED_UP_NAMES);

export const FeatureView = z.strictObject({
  run: z.string(),
  feature: z.string(),
  title: z.string(),
  branch: z.string(),
  /** The projects that it spans, each with a branch of that name and a merge queue. Empty: it is about one. */
  projects: z.array(
    z.strictObject({ name: z.string(), path: z.string(), queue: z.array(z.string()) }),
  ),
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
  /** Ids of components: those that have landed in this order, and those that wait to be merged, in any project. */
  landed: z.array(z.strictObject({ id: z.string(), commit: z.string(), at: z.number() })),
  queue: z.array(z.string()),
  /** What a person holds back: the whole queue, or the work of components. */
  held: z.strictObject({ all: z.boolean(), components: z.array(z.string()) }),
  /** Components at work that change the same file, so their work may not fit together. */
  conflicts: z.array(
    z.strictObject({ components: z.tuple([z.string(), z.string()]), file: z.string() }),
  ),
  /** How long the rest may take. Null: it is over, or no component has landed yet. */
  rest: z
    .strictObject({
      soonestMs: z.number(),
      latestMs: z.number(),
      of: z.int(),
      /** The last reset of a window of its agents that it has to wait for. Null: there is none. */
      waitsUntil: z.number().nullable(),
    })
    .nullable(),
  paused: z.boolean(),
  outcome: z.strictObject({ kind: z.string(), reason: z.string() }).nullable(),
});
export type FeatureView = z.infer<typeof FeatureView>;
