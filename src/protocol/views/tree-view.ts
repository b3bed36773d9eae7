/** The owner's tree of supervised parts, as clients see it. */
import { z } from 'zod';
import { AgentView } from './agent-view.ts';

/** `recovering`: it failed a moment ago and is up again. */
const TreeHealth = z.enum(['well', 'recovering', 'down']);

/** How many restarts are allowed within a time, and when the last ones were. */
const RestartBudget = z.strictObject({
  restartsMax: z.int(),
  withinMs: z.number(),
  /** Milliseconds since 1970, oldest first. Older ones than the window count no more. */
  restartedAt: z.array(z.number()),
});
export type RestartBudget = z.infer<typeof RestartBudget>;

export const TreeNode = z.strictObject({
  /** Its place, from the root down: `owner/branches/server/socket`. */
  id: z.string(),
  name: z.string(),
  parent: z.string().nullable(),
  type: z.enum(['supervisor', 'worker']),
  /** For a supervisor: which children restart together. */
  strategy: z.string().nullable(),
  state: z.enum(['running', 'restarting', 'down']),
  /** The start of that state, in milliseconds since 1970. */
  since: z.number(),
  /** How often it was restarted by its own fault since this owner started. */
  restarts: z.number().int(),
  health: TreeHealth,
  /** How it last failed. */
  why: z.string().nullable(),
  /** Its own remark about its work. */
  note: z.string().nullable(),
  /** The long-lived agent at this place, active or ended. */
  agent: AgentView.nullable(),
  /** For an agent, or a supervisor of a project: the project. */
  project: z.string().nullable(),
  /** Of a long-lived agent, or a supervisor that a project declares. */
  budget: RestartBudget.nullable(),
});
export type TreeNode = z.infer<typeof TreeNode>;

/** Parents before their children, siblings in the order of their start. */
export const TreeView = z.strictObject({ at: z.number(), nodes: z.array(TreeNode) });
export type TreeView = z.infer<typeof TreeView>;
