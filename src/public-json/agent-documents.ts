/** Long-lived agents and the tree that supervises them, as scripts read them. */
import { z } from 'zod';
import type { AgentState } from '../protocol/long-lived-agent.ts';
import { AGENT_KINDS } from '../protocol/long-lived-agent.ts';
import { RunOutcome } from '../protocol/outcome.ts';
import type { AgentView } from '../protocol/views/agent-view.ts';
import type { TreeNode, TreeView } from '../protocol/views/tree-view.ts';
import { documentSchema, field, runId, time, toIso, toIsoOrNull } from './document.ts';

/** Values of `state` are in snake_case, as keys are. */
const STATES = {
  summoned: 'summoned',
  working: 'working',
  'waiting-input': 'waiting_input',
  'waiting-wakeup': 'waiting_wakeup',
  verifying: 'verifying',
  done: 'done',
  'failed-reaped': 'failed_reaped',
  'dismissed-reaped': 'dismissed_reaped',
  gc: 'gc',
} as const satisfies Record<AgentState, string>;

const Agent = z.strictObject({
  run_id: field(runId, 'Its id. status, logs, why and answer accept it too.'),
  name: z.string(),
  kind: z.enum(AGENT_KINDS),
  project: z.string(),
  assignment: z.string(),
  state: z.enum(Object.values(STATES)),
  since: field(time, 'The start of that state.'),
  life: field(z.int(), 'The number of its lives. 0: none has started yet.'),
  turn: z.int(),
  cooling_until: time.nullable(),
  restarts: field(z.int(), 'How often it was restarted by its own fault.'),
  parent: z.strictObject({ run_id: runId, name: z.string() }).nullable(),
  supervisor: field(z.string(), 'Its place among the supervisors of its project.'),
  declared: field(z.boolean(), 'The configuration declares it.'),
  visibility: z.enum(['shown', 'badge', 'silent']),
  restarts_exhausted: field(z.boolean(), 'It waits for a person.'),
  ended: field(z.boolean(), 'It has ended and is not restarted any more.'),
  reason: field(z.string().nullable(), 'How its last life ended, if it ended badly.'),
  outcome: z.strictObject({ state: RunOutcome.shape.kind, reason: z.string() }).nullable(),
  open_issues: z.int(),
  commitments: z.array(
    z.strictObject({
      description: z.string(),
      by: field(z.enum(['itself', 'parent']), 'What asked for the commitment.'),
      state: z.enum(['pending', 'passed', 'failed']),
      failure: z.string().nullable(),
    }),
  ),
});
export type TreeAgent = z.infer<typeof Agent>;

export const AgentDocument = documentSchema('agent', 'A long-lived agent.', Agent.shape);

const Node = z.strictObject({
  id: field(z.string(), 'Its place, from the root down.'),
  name: z.string(),
  parent_id: z.string().nullable(),
  type: z.enum(['supervisor', 'worker']),
  strategy: field(z.string().nullable(), 'For a supervisor: which children restart together.'),
  state: z.enum(['running', 'restarting', 'down']),
  since: field(time, 'The start of that state.'),
  restarts: z.int(),
  health: z.enum(['well', 'recovering', 'down']),
  reason: field(z.string().nullable(), 'How it last failed.'),
  note: z.string().nullable(),
  agent: Agent.nullable(),
  project: z.string().nullable(),
});

export const TreeDocument = documentSchema(
  'tree',
  'The supervised agents. Parents come before their children.',
  { at: time, nodes: z.array(Node) },
);
export type TreeNodes = z.infer<typeof TreeDocument>['nodes'];

function agentOf(view: AgentView): TreeAgent {
  return {
    run_id: view.run,
    name: view.name,
    kind: view.kind,
    project: view.project,
    assignment: view.assignment,
    state: STATES[view.state],
    since: toIso(view.since),
    life: view.life,
    turn: view.turn,
    cooling_until: toIsoOrNull(view.coolingUntil),
    restarts: view.restarts,
    parent: view.parent === null ? null : { run_id: view.parent.run, name: view.parent.name },
    supervisor: view.supervisor,
    declared: view.declared,
    visibility: view.visibility,
    restarts_exhausted: view.restartsExhausted,
    ended: view.ended,
    reason: view.why,
    outcome:
      view.outcome === null ? null : { state: view.outcome.kind, reason: view.outcome.reason },
    open_issues: view.openIssues,
    commitments: view.commitments.map(({ description, by, status, failure }) => ({
      description,
      by,
      state: status,
      failure,
    })),
  };
}

export function agentDocument(view: AgentView): z.infer<typeof AgentDocument> {
  return { schema: 'supervisor.agent/1', ...agentOf(view) };
}

export function treeDocument({ at, nodes }: TreeView): z.infer<typeof TreeDocument> {
  return { schema: 'supervisor.tree/1', at: toIso(at), nodes: nodes.map(nodeOf) };
}

function nodeOf(node: TreeNode): z.infer<typeof Node> {
  return {
    id: node.id,
    name: node.name,
    parent_id: node.parent,
    type: node.type,
    strategy: node.strategy,
    state: node.state,
    since: toIso(node.since),
    restarts: node.restarts,
    health: node.health,
    reason: node.why,
    note: node.note,
    agent: node.agent === null ? null : agentOf(node.agent),
    project: node.project,
  };
}
