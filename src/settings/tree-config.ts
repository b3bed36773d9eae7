/** What a person may write of the agents that live long, and of the supervisors that they live under. */
import { z } from 'zod';
import { agentId } from './agent-config.ts';
import { CapsConfig } from './gateway-config.ts';
import { duration, KEYS, matching, text, whole } from './schema-fields.ts';
import {
  CommitmentEntry,
  HealthRule,
  AgentFlagsConfig,
  AgentSandbox,
  QueueConfig,
  RestartRule,
  ViolationRule,
  WorkspaceRule,
} from './long-lived-config.ts';

const KINDS = ['root', 'mortal', 'drone', 'monitor'] as const;
const STRATEGIES = ['one_for_one', 'one_for_all', 'rest_for_one'] as const;
const nameError = 'a name of up to 63 small letters, digits and - that begins with a letter';
const model = text(1, 200, 'text of 1 to 200 characters');

const Intensity = z.strictObject(
  {
    restarts: whole(0, 10_000).prefault(3).describe('How many restarts it bears. Default: 3.'),
    within: duration('1s', '365d').prefault('5m').describe('Within this time. Default: 5m.'),
  },
  KEYS,
);

/** Of an agent. One with an assignment is one; one with children is a supervisor. */
const agent = {
  kind: z
    .enum(KINDS, { error: `one of ${KINDS.join(', ')}` })
    .optional()
    .describe('Of an agent: root, mortal, drone or monitor. Default: mortal.'),
  assignment: text(1, 100_000, 'text of 1 to 100000 characters')
    .optional()
    .describe('What the agent is for; required for an agent.'),
  agent: agentId.optional().describe('Which configured agent it is. Default: the default agent.'),
  model: model.optional().describe("The model to ask for. Default: the agent's."),
  models: z
    .array(model, { error: 'a list of models' })
    .max(10, { error: 'a list of up to 10 models' })
    .prefault([])
    .describe('From weak to strong: after wrong work the next one has a try. Default: none.'),
  commitments: z
    .array(CommitmentEntry, { error: 'a list of commitments' })
    .max(50, { error: 'a list of up to 50 commitments' })
    .prefault([])
    .describe('What must hold when it says that it is done. Default: nothing.'),
  queue: QueueConfig.optional().describe('Tasks as files, one after the other. Default: none.'),
  on_done: z
    .enum(['dismiss', 'wait', 'next'], { error: 'one of dismiss, wait, next' })
    .optional()
    .describe('What follows done. Default: dismiss; next where there is a queue.'),
  budget: CapsConfig.prefault({}).describe('What it may spend. Default: what a run may.'),
  sandbox: AgentSandbox.prefault({}).describe('What it may see and use, where that is less.'),
  restart: RestartRule.prefault({}).describe('How it is restarted, where its kind is not enough.'),
  health: HealthRule.prefault({}).describe('When it is not well, and what then.'),
  violations: z
    .array(ViolationRule, { error: 'a list of rules' })
    .max(50, { error: 'a list of up to 50 rules' })
    .prefault([])
    .describe('What it may not try; the first rule that matches decides. Default: none.'),
  workspace: WorkspaceRule.prefault({}).describe('What becomes of its work when it is restarted.'),
  on_gang: z
    .enum(['ask', 'restart-all'], { error: 'ask or restart-all' })
    .prefault('ask')
    .describe('What is done when several siblings fail. Default: ask.'),
  flags: AgentFlagsConfig.prefault({}).describe('What holds beside its state.'),
};

const supervisor = {
  strategy: z
    .enum(STRATEGIES, { error: `one of ${STRATEGIES.join(', ')}` })
    .optional()
    .describe('Of a supervisor: who is restarted with whom. Default: one_for_one.'),
  intensity: Intensity.optional().describe(
    'Of a supervisor: how many restarts it bears before it gives up itself.',
  ),
};

const name = matching(/^[a-z][a-z0-9-]{0,62}$/, nameError).describe(
  'Its name, unique among all in the tree; required.',
);

export const TreeAgentEntry = z
  .strictObject({ name, ...agent }, KEYS)
  .refine(({ assignment }) => assignment !== undefined, {
    path: ['assignment'],
    error: 'what the agent is for',
  });

/** Agents, and supervisors with such children in turn. */
function levelAbove<Child extends z.ZodType>(child: Child) {
  const children = z
    .array(child, { error: 'a list of agents and supervisors' })
    .max(100, { error: 'a list of up to 100 agents and supervisors' })
    .optional()
    .describe('Of a supervisor: who lives under it, in the order of their start.');
  return z
    .strictObject({ name, ...agent, ...supervisor, children }, KEYS)
    .refine(
      ({ assignment, children: below }) => (assignment === undefined) !== (below === undefined),
      {
        path: ['assignment'],
        error: 'either an assignment, for an agent, or children, for a supervisor',
      },
    )
    .refine(
      ({ strategy, intensity, children: below }) =>
        below !== undefined || (strategy === undefined && intensity === undefined),
      {
        path: ['children'],
        error: 'children, since it has a strategy or an intensity',
      },
    );
}

/** Three levels of supervisors are more than anybody wants; a level more is a line more. */
const Child = levelAbove(levelAbove(levelAbove(TreeAgentEntry)));

export const TreeEntry = z.strictObject(
  {
    children: z
      .array(Child, { error: 'a list of agents and supervisors' })
      .max(100, { error: 'a list of up to 100 agents and supervisors' })
      .prefault([])
      .describe('The agents and supervisors that come up with `supervisor up`. Default: none.'),
    depth_max: whole(1, 10)
      .prefault(4)
      .describe('How deep agents may start agents in turn. Default: 4.'),
    children_max: whole(0, 10_000)
      .prefault(100)
      .describe('How many children one agent may have at once. Default: 100.'),
  },
  KEYS,
);
export type TreeConfig = z.infer<typeof TreeEntry>;
export type TreeAgentConfig = z.infer<typeof TreeAgentEntry>;
