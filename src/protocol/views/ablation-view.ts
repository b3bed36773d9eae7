/** The request for a comparison of workflows, and its result. */
import { z } from 'zod';
import { ARMS } from '../ablation.ts';

const TASKS_MAX = 100;
const TASK_CHARS_MAX = 100_000;
const ROUNDS_MAX = 100;

const text = z.string().min(1).max(TASK_CHARS_MAX);
/** `base`: the commit that its trials start with, as a person names it. */
const Task = z.union([text, z.strictObject({ task: text, base: z.string().min(1).max(200) })]);
export type AblateTask = z.output<typeof Task>;

export const AblateRequest = z.strictObject({
  /** The absolute path of the project. */
  project: z.string().startsWith('/'),
  template: z.string().min(1).max(64),
  /** The step that one arm leaves out. */
  without: z.string().min(1).max(64),
  tasks: z.array(Task).min(1).max(TASKS_MAX),
  /** How often each task is repeated. */
  runs: z.int().min(1).max(ROUNDS_MAX),
  seed: z.int().min(0).max(0xffffffff),
  agent: z.string().exactOptional(),
  set: z.array(z.string()).default([]),
  untrusted: z.boolean().exactOptional(),
});
export type AblateRequest = z.output<typeof AblateRequest>;

const Trial = z.strictObject({
  task: z.int(),
  round: z.int(),
  arm: z.enum(ARMS),
  run: z.string().nullable(),
  verdict: z.enum(['solved', 'unsolved', 'void']),
  why: z.string(),
  durationMs: z.number(),
  tokens: z.number().nullable(),
  costUsd: z.number().nullable(),
});

/** How far a comparison is. */
export const AblationView = z.strictObject({
  run: z.string(),
  template: z.string(),
  step: z.string(),
  seed: z.int(),
  tasks: z.array(z.string()),
  /** How many trials are planned. */
  planned: z.int(),
  results: z.array(Trial),
  /** The trial that runs now. Null: none. */
  current: Trial.pick({ task: true, round: true, arm: true }).nullable(),
  outcome: z.strictObject({ kind: z.string(), reason: z.string() }).nullable(),
});
export type AblationView = z.infer<typeof AblationView>;
