/** What a person may write of the agents that live long, and of the supervisors that they live under. */
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
const nameError = 'a name of up to 63 small letters, digits and - that begins with a letter';
const model = text(1, 200, 'text of 1 to 200 characters');

const Intensity = z.strictObject(
  {
    restarts: whole(0, 10_000).prefault(3).describe('How many restarts it bears. Default: 3.'),
    within: duration('1s', '365d').prefault('5m').describe('Within this time. Default: 5m.'),
  },
  KEYS,
);
const INTENSITY = Intensity.parse({});

/** Of an agent. One with an assignment is one; one with children is a supervisor. */
const agentKeys = (userDir: string) => ({
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
  queue: queueEntry(userDir)
    .optional()
    .describe('Tasks as files, one after the other. Default: none.'),
  on_done: z
    .enum(['dismiss', 'wait', 'next'], { error: 'one of dismiss, wait, next' })
    .optional()
    .describe('What follows done. Default: dismiss; next where there is a queue.'),
  budget: Caps.prefault({}).describe('What it may spend. Default: what a run may.'),
  sandbox: agentSandbox(userDir)
    .prefault({})
    .describe('What it may see and use, where that is less.'),
  restart: RestartRule.prefault({}).describe('How it is restarted, where its kind is not enough.'),
  health: HealthRule.prefault({}).describe('When it is not well, and what then.'),
  violations: z
    .array(violationRule(userDir), { error: 'a list of rules' })
    .max(50, { error: 'a list of up to 50 rules' })
    .prefault([])
    .describe('What it may not try; the first rule that matches decides. Default: none.'),
  workspace: WorkspaceRule.prefault({}).describe('What becomes of its work when it is restarted.'),
  on_gang: z
    .enum(['ask', 'restart-all'], { error: 'ask or restart-all' })
    .prefault('ask')
    .describe('What is done when several siblings fail. Default: ask.'),
  flags: AgentFlagsConfig.prefault({}).describe('What holds beside its state.'),
});

const supervisorKeys = {
  strategy: z
    .enum(Object.keys(STRATEGIES) as (keyof typeof STRATEGIES)[], {
      error: `one of ${Object.keys(STRATEGIES).join(', ')}`,
    })
    .optional()
    .describe('Of a supervisor: who is restarted with whom. Default: one_for_one.'),
  intensity: Intensity.optional().describe(
    'Of a supervisor: how many restarts it bears before it gives up itself.',
  ),
};

const name = matching(/^[a-z][a-z0-9-]{0,62}$/, nameError).describe(
  'Its name, unique among all in the tree; required.',
);

const agentEntry = (keys: Keys) =>
  z
    .strictObject({ name, ...keys }, KEYS)
    .refine(({ assignment }) => assignment !== undefined, {
      path: ['assignment'],
      error: 'what the agent is for',
    })
    .transform(toAgentRequest);

type Keys = ReturnType<typeof agentKeys>;
type AgentKeys = { name: string } & z.output<z.ZodObject<Keys>>;

function toAgentRequest({
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
    cut: { workspace, models, onGang },
  };
}

/** What is wanted of one agent. */
export type AgentRequest = Immutable<ReturnType<typeof toAgentRequest>>;

type SupervisorEntry = Omit<Extract<TreePlace, { type: 'supervisor' }>, 'type' | 'path'> & {
  readonly name: string;
  readonly children: readonly Entry[];
};
type Entry = AgentRequest | SupervisorEntry;

/** Agents, and supervisors with such children in turn. */
function levelAbove(child: z.ZodType<Entry>, keys: Keys) {
  const children = z
    .array(child, { error: 'a list of agents and supervisors' })
    .max(100, { error: 'a list of up to 100 agents and supervisors' })
    .optional()
    .describe('Of a supervisor: who lives under it, in the order of their start.');
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
        error: 'children, since it has a strategy or an intensity',
      },
    )
    .transform(
      ({ strategy = 'one_for_one', intensity = INTENSITY, children: below, ...entry }): Entry =>
        below === undefined
          ? toAgentRequest(entry)
          : {
              name: entry.name,
              strategy: STRATEGIES[strategy],
              restartsMax: intensity.restarts,
              withinMs: intensity.within,
              children: below,
            },
    );
}

/** `~` stands for `userDir`. Three levels of supervisors are more than anybody wants; a level more is a line more. */
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
          .describe('The agents and supervisors that come up with `supervisor up`. Default: none.'),
        depth_max: whole(1, 10)
          .prefault(4)
          .describe('How deep agents may start agents in turn. Default: 4.'),
        children_max: whole(0, 10_000)
          .prefault(100)
          .describe('How many children one agent may have at once. Default: 100.'),
      },
      KEYS,
    )
    .transform(({ children, depth_max: depthMax, children_max: childrenMax }) => ({
      ...flatten(children),
      depthMax,
      childrenMax,
    }));
}

/** Parents before their children, siblings in the order of their start. */
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

/** The request for an agent of which only the name and the assignment are given. */
export const AGENT_DEFAULTS: AgentRequest = agentEntry(KEYS_OF_AGENT).parse({
  name: 'agent',
  assignment: '.',
});

/** What a person may ask for without a file, with the bounds of the file's keys. */
export const SpawnedAgent = z.object({
  name,
  assignment: KEYS_OF_AGENT.assignment.unwrap(),
  agent: KEYS_OF_AGENT.agent,
  model: KEYS_OF_AGENT.model,
  commitments: KEYS_OF_AGENT.commitments,
  budgetUsd: capKeys.usd,
  queue: KEYS_OF_AGENT.queue,
});

export type TreeSettings = Immutable<z.output<ReturnType<typeof treeSection>>>;
