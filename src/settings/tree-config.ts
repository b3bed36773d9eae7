/** Schema of `tree`: long-lived agents, and the supervisors above them. */
import { z } from 'zod';
import { agentId } from './agent-config.ts';
import { capKeys, Caps } from './gateway-config.ts';
import type { Immutable } from './schema-fields.ts';
import { duration, KEYS, matching, text, whole } from './schema-fields.ts';
import type { TreePlace } from '../protocol/tree-place.ts';
import {
  AgentFlagsConfig,
  agentSandbox,
  CommitmentEntry,
  HealthRule,
  queueEntry,
  RestartRule,
  violationRule,
  WorkspaceRule,
} from './long-lived-config.ts';

const KINDS = ['root', 'mortal', 'drone', 'monitor'] as const;
const STRATEGIES = {
  one_for_one: 'one-for-one',
  one_for_all: 'one-for-all',
  rest_for_one: 'rest-for-one',
} as const;
const SUPERVISOR_LEVELS = 3;
const nameError = 'a name of 1 to 63 lowercase letters, digits and - that starts with a letter';
const model = text(1, 200, 'text of 1 to 200 characters');

const Intensity = z.strictObject(
  {
    restarts: whole(0, 10_000)
      .prefault(3)
      .describe('How many restarts are allowed in `within`. Default: 3.'),
    within: duration('1s', '365d')
      .prefault('5m')
      .describe('The time window of `restarts`. Default: 5m.'),
  },
  KEYS,
);
const INTENSITY = Intensity.parse({});

/** Keys of an agent. An entry with an assignment is an agent, an entry with children is a supervisor. */
const agentKeys = (userDir: string) => ({
  kind: z
    .enum(KINDS, { error: `one of ${KINDS.join(', ')}` })
    .optional()
    .describe('The kind of an agent: root, mortal, drone or monitor. Default: mortal.'),
  assignment: text(1, 100_000, 'text of 1 to 100000 characters')
    .optional()
    .describe('The task of an agent; required for an agent.'),
  agent: agentId
    .optional()
    .describe('The id of the configured agent that it runs. Default: the default agent.'),
  model: model.optional().describe("The model to use. Default: the agent's."),
  models: z
    .array(model, { error: 'a list of models' })
    .max(10, { error: 'a list of up to 10 models' })
    .prefault([])
    .describe(
      'Models from weak to strong. After rejected work, the next model takes over. Default: none.',
    ),
  commitments: z
    .array(CommitmentEntry, { error: 'a list of commitments' })
    .max(50, { error: 'a list of up to 50 commitments' })
    .prefault([])
    .describe('Promises that are checked when the agent says that it is done. Default: none.'),
  queue: queueEntry(userDir)
    .optional()
    .describe('A folder of tasks that the agent works through. Default: none.'),
  on_done: z
    .enum(['dismiss', 'wait', 'next'], { error: 'one of dismiss, wait, next' })
    .optional()
    .describe('What happens when the agent is done. Default: dismiss, or next if it has a queue.'),
  budget: Caps.prefault({}).describe('What it may spend. Default: the budget of a run.'),
  sandbox: agentSandbox(userDir)
    .prefault({})
    .describe('What it can see and use, if less than its project.'),
  restart: RestartRule.prefault({}).describe('How it is restarted, if not as its kind.'),
  health: HealthRule.prefault({}).describe('When it is unhealthy, and what happens then.'),
  violations: z
    .array(violationRule(userDir), { error: 'a list of rules' })
    .max(50, { error: 'a list of up to 50 rules' })
    .prefault([])
    .describe('Rules that it must not break. The first rule that matches decides. Default: none.'),
  workspace: WorkspaceRule.prefault({}).describe(
    'Whether its work is kept or discarded when it restarts.',
  ),
  on_gang: z
    .enum(['ask', 'restart-all'], { error: 'ask or restart-all' })
    .prefault('ask')
    .describe('What happens when several siblings fail. Default: ask.'),
  flags: AgentFlagsConfig.prefault({}).describe('Flags in addition to its state.'),
});

const supervisorKeys = {
  strategy: z
    .enum(Object.keys(STRATEGIES) as (keyof typeof STRATEGIES)[], {
      error: `one of ${Object.keys(STRATEGIES).join(', ')}`,
    })
    .optional()
    .describe('For a supervisor: which children restart together. Default: one_for_one.'),
  intensity: Intensity.optional().describe(
    'For a supervisor: how many restarts are allowed before it fails itself.',
  ),
};

const name = matching(/^[a-z][a-z0-9-]{0,62}$/, nameError).describe(
  'The name of the agent or supervisor, unique in the tree; required.',
);

const agentEntry = (keys: Keys) =>
  z
    .strictObject({ name, ...keys }, KEYS)
    .refine(({ assignment }) => assignment !== undefined, {
      path: ['assignment'],
      error: 'the task of the agent',
    })
    .transform(agentRequestFromKeys);

type Keys = ReturnType<typeof agentKeys>;
type AgentKeys = { name: string } & z.output<z.ZodObject<Keys>>;

function agentRequestFromKeys({
  kind,
  assignment,
  agent,
  model,
  queue,
  on_done: onDone,
  workspace,
  models,
  on_gang: onGang,
  ...same
}: AgentKeys) {
  return {
    ...same,
    kind: kind ?? 'mortal',
    assignment: assignment ?? '',
    agent: agent ?? null,
    model: model ?? null,
    queue: queue ?? null,
    onDone: onDone ?? (queue === undefined ? 'dismiss' : 'next'),
    triggers: { workspace, models, onGang },
  };
}

/** The complete request for one agent. */
export type AgentRequest = Immutable<ReturnType<typeof agentRequestFromKeys>>;

type SupervisorEntry = Omit<Extract<TreePlace, { type: 'supervisor' }>, 'type' | 'path'> & {
  readonly name: string;
  readonly children: readonly Entry[];
};
type Entry = AgentRequest | SupervisorEntry;

/** An agent, or a supervisor whose children match `child`. */
function levelAbove(child: z.ZodType<Entry>, keys: Keys) {
  const children = z
    .array(child, { error: 'a list of agents and supervisors' })
    .max(100, { error: 'a list of up to 100 agents and supervisors' })
    .optional()
    .describe('For a supervisor: its agents and supervisors, in start order.');
  return z
    .strictObject({ name, ...keys, ...supervisorKeys, children }, KEYS)
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
        error: 'children, because it has a strategy or an intensity',
      },
    )
    .transform(
      ({ strategy = 'one_for_one', intensity = INTENSITY, children: below, ...entry }): Entry =>
        below === undefined
          ? agentRequestFromKeys(entry)
          : {
              name: entry.name,
              strategy: STRATEGIES[strategy],
              restartsMax: intensity.restarts,
              withinMs: intensity.within,
              children: below,
            },
    );
}

/** `~` stands for `userDir`. */
export function treeSection(userDir: string) {
  const keys = agentKeys(userDir);
  let child: z.ZodType<Entry> = agentEntry(keys);
  for (let level = 0; level < SUPERVISOR_LEVELS; level += 1) child = levelAbove(child, keys);
  return z
    .strictObject(
      {
        children: z
          .array(child, { error: 'a list of agents and supervisors' })
          .max(100, { error: 'a list of up to 100 agents and supervisors' })
          .prefault([])
          .describe('Agents and supervisors that `supervisor up` starts. Default: none.'),
        depth_max: whole(1, 10)
          .prefault(4)
          .describe('How many levels of agents can start agents. Default: 4.'),
        children_max: whole(0, 10_000)
          .prefault(100)
          .describe('How many children one agent can have at once. Default: 100.'),
      },
      KEYS,
    )
    .transform(({ children, depth_max: depthMax, children_max: childrenMax }) => ({
      ...flatten(children),
      depthMax,
      childrenMax,
    }));
}

/** Parents come before their children, siblings in start order. */
function flatten(entries: readonly Entry[]) {
  const places: TreePlace[] = [];
  const agents: { path: string; request: AgentRequest }[] = [];
  const walk = (siblings: readonly Entry[], above: string): void => {
    for (const entry of siblings) {
      const path = `${above}${entry.name}`;
      if (!('children' in entry)) {
        places.push({ type: 'agent', path });
        agents.push({ path, request: entry });
        continue;
      }
      const { name: _, children, ...supervisor } = entry;
      places.push({ type: 'supervisor', path, ...supervisor });
      walk(children, `${path}/`);
    }
  };
  walk(entries, '');
  return { places, agents };
}

const KEYS_OF_AGENT = agentKeys('~');

/** The request for an agent with only a name and an assignment. */
export const AGENT_DEFAULTS: AgentRequest = agentEntry(KEYS_OF_AGENT).parse({
  name: 'agent',
  assignment: '.',
});

/** The fields of `supervisor spawn`, with the same bounds as in a file. */
export const SpawnedAgent = z.object({
  name,
  assignment: KEYS_OF_AGENT.assignment.unwrap(),
  agent: KEYS_OF_AGENT.agent,
  model: KEYS_OF_AGENT.model,
  commitments: KEYS_OF_AGENT.commitments,
  budgetUsd: capKeys.usd,
  budgetTokens: capKeys.tokens,
  queue: KEYS_OF_AGENT.queue,
  sandbox: KEYS_OF_AGENT.sandbox,
  restart: KEYS_OF_AGENT.restart,
  violations: KEYS_OF_AGENT.violations,
});

export type TreeSettings = Immutable<z.output<ReturnType<typeof treeSection>>>;
