/**
 * Schema of a graph file: a feature as typed nodes. Every key of every kind of node is known here. `src/plan/graph/` checks
 * which of them a kind has, and what they mean together.
 */
import { z } from 'zod';
import { componentName, featureFields, patterns } from './feature-file.ts';
import type { JsonSchema } from './json-schema.ts';
import { roleName } from './role-file.ts';
import type { Immutable } from './schema-fields.ts';
import { KEYS, matching, text, whole } from './schema-fields.ts';

const NODES_MAX = 100;
const CONDITIONS_MAX = 10;
const GATES_MAX = 20;
const ROUNDS_MAX = 10;
/** How many of its nodes may be at work at the same time. */
export const GRAPH_CAPACITY = 4;

export const NODE_KINDS = [
  'task',
  'gate',
  'branch',
  'merge',
  'parallel',
  'subgraph',
  'human',
] as const;

export const OPERATORS = [
  'equals',
  'not_equals',
  'in',
  'not_in',
  'greater_than',
  'at_least',
  'less_than',
  'at_most',
] as const;

const word = text(1, 200, 'text of 1 to 200 characters');
const value = z.union([z.number(), word], { error: 'a text or a number' });

const Condition = z.strictObject(
  {
    field: matching(
      /^[a-z][a-z0-9_-]{0,63}\.[a-z]{1,20}$/,
      'a node and what is known of it, such as check.result',
    ).describe(
      'What is looked at: NODE.result, NODE.files, NODE.tries, NODE.exit or NODE.coverage.',
    ),
    operator: z
      .enum(OPERATORS, { error: `one of ${OPERATORS.join(', ')}` })
      .describe('How it is compared.'),
    value: z
      .union([value, z.array(value).min(1).max(50)], {
        error: 'a text, a number or a list of these',
      })
      .describe('What it is compared with. A list only for in and not_in.'),
  },
  KEYS,
);
const conditions = z
  .union([Condition, z.array(Condition).min(1).max(CONDITIONS_MAX)], {
    error: `field, operator and value, or a list of up to ${CONDITIONS_MAX} of these`,
  })
  .describe('A condition, or a list of conditions that all have to hold.');

const ids = z
  .array(componentName, { error: 'a list of nodes' })
  .max(NODES_MAX, { error: `a list of up to ${NODES_MAX} nodes` });

const Repeat = z.strictObject(
  {
    until: conditions.describe(
      'The rounds end when this holds. If it never does, the graph fails.',
    ),
    max: whole(1, ROUNDS_MAX).describe('How many rounds there may be.'),
  },
  KEYS,
);

const NODE_FIELDS = {
  id: componentName.describe('The name of the node, unique in its list.'),
  kind: z
    .enum(NODE_KINDS, { error: `one of ${NODE_KINDS.join(', ')}` })
    .describe('What the node does.'),
  title: word.optional().describe('One line about the node. Default: what it does.'),
  after: ids.optional().describe('The nodes that must be complete before it. Default: none.'),
  task: text(1, 20_000, 'the task in plain words')
    .optional()
    .describe('For a task: what its agent has to do. Default: the title.'),
  files: patterns.optional().describe('For a task: the files that belong to it.'),
  touches: patterns.optional().describe('For a task: more files that it may change.'),
  role: roleName.optional().describe('For a task: the role that implements it.'),
  gates: z
    .array(word, { error: 'a list of gates' })
    .min(1, { error: 'at least one gate' })
    .max(GATES_MAX, { error: `a list of up to ${GATES_MAX} gates` })
    .optional()
    .describe('For a gate: gates of the project, which judge what has landed so far.'),
  when: conditions.optional().describe('For a branch: what decides.'),
  // oxlint-disable-next-line unicorn/no-thenable -- a key of the file; its value is a list, which cannot be called
  then: ids.optional().describe('For a branch: the nodes that run only if the condition holds.'),
  else: ids.optional().describe('For a branch: the nodes that run only if it does not.'),
  question: text(1, 2000, 'text of 1 to 2000 characters')
    .optional()
    .describe('For a human: a question that a person answers with yes or no.'),
  repeat: Repeat.optional().describe('For a subgraph: it is done in rounds.'),
};

/** Deeper nesting is hard to read, and a reader of it would need no bound. */
const Inner = z.strictObject(NODE_FIELDS, KEYS);
const inner = nodeList(Inner);
const Middle = z.strictObject({ ...NODE_FIELDS, nodes: inner.optional() }, KEYS);
const Outer = z.strictObject({ ...NODE_FIELDS, nodes: nodeList(Middle).optional() }, KEYS);

function nodeList<Node extends z.ZodType>(node: Node) {
  return z
    .array(node, { error: 'a list of nodes' })
    .min(1, { error: 'at least one node' })
    .max(NODES_MAX, { error: `a list of up to ${NODES_MAX} nodes` })
    .describe('For parallel and subgraph: the nodes inside.');
}

export const GraphFile = z.strictObject({ ...featureFields, nodes: nodeList(Outer) }, KEYS);

export type GraphFile = Immutable<z.infer<typeof GraphFile>>;
export type NodeKind = (typeof NODE_KINDS)[number];
export type FileCondition = Immutable<z.infer<typeof Condition>>;
type InnerNode = Immutable<z.infer<typeof Inner>>;
/** A node at any depth. */
export type FileNode = InnerNode & { readonly nodes?: readonly FileNode[] | undefined };

export function graphFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(GraphFile, { io: 'input' }) as JsonSchema;
}
