/** The owner as a tree of parts that are kept alive, as it is told to whoever asks. */
import { z } from 'zod';
import { AgentView } from './agent-view.ts';

/** `recovering`: it failed a moment ago and is up again. */
export const TreeHealth = z.enum(['well', 'recovering', 'down']);

export const TreeNode = z.strictObject({
  /** Its place, from the root down: `owner/branches/server/socket`. */
  id: z.string(),
  name: z.string(),
  parent: z.string().nullable(),
  type: z.enum(['supervisor', 'worker']),
  /** Of a supervisor: who is restarted with whom. */
  strategy: z.string().nullable(),
  state: z.enum(['running', 'restarting', 'down']),
  /** Since when it is in that state, in milliseconds since 1970. */
  since: z.number(),
  /** How often it was restarted by its own fault since this owner came up. */
  restarts: z.number().int(),
  health: TreeHealth,
  /** How it last failed. */
  why: z.string().nullable(),
  /** What it says of its work. */
  note: z.string().nullable(),
  /** The long-lived agent that lives here, or whose body lies here. */
  agent: AgentView.nullable().default(null),
  /** Of an agent, and of the supervisors of a project: which. */
  project: z.string().nullable().default(null),
});
export type TreeNode = z.infer<typeof TreeNode>;

/** Parents before their children, siblings in the order of their start. */
export const TreeView = z.strictObject({ at: z.number(), nodes: z.array(TreeNode) });
export type TreeView = z.infer<typeof TreeView>;
