/**
 * Pure rules for spawning: which agents may be spawned, under which parent, and with which grants
 * and budget.
 */
import { plural } from '../../base/text.ts';
import { Refusal } from '../../base/errors.ts';
import { parseRunId } from '../../base/ids.ts';
import { checkGrant } from '../../agents/agent-grants.ts';
import type { AgentSubmission } from '../../protocol/run-submission.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { Settings } from '../../settings/settings.ts';
import { remainingBudget } from './delegated-budgets.ts';
import type { AgentRecord } from './agent-registry.ts';
import { nearest } from '../../yaml/nearest.ts';
import { suggest } from '../../yaml/schema-faults.ts';

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const LIST_HINT = 'List the agents with: supervisor tree --all';
/** A shorter beginning of an id may be a typing error, and its agent a surprise. */
const BEGINNING = /^[0-9a-f]{4,9}$/;
const TOO_SHORT = /^[0-9a-f]{1,3}$/;
/** More candidates than these are not listed. */
const LISTED_MAX = 5;

/**
 * Finds an agent by its id, its name in this project, or the beginning of its id if only one agent of this project has it.
 * If several agents have the name, prefers one that has not ended, then the latest.
 */
export function findAgent(
  idOrName: string,
  project: string | undefined,
  agents: readonly AgentRecord[],
): AgentRecord {
  // Ids and names have no capital letters.
  const word = idOrName.toLowerCase();
  const run = parseRunId(word);
  const byId = run === undefined ? undefined : agents.find((one) => one.run === run);
  const here = agents.filter((one) => project === undefined || one.project === project);
  const named = here.filter(({ settings }) => settings.name === word);
  const found = byId ?? named.find(({ status }) => !status.isOver) ?? named.at(-1);
  if (found !== undefined) return found;
  const [one, ...others] = BEGINNING.test(word)
    ? here.filter(({ run: id }) => id.startsWith(word))
    : [];
  if (one === undefined) throw agentNotFound(idOrName, project, here);
  if (others.length > 0) throw agentAmbiguous(idOrName, [one, ...others]);
  return one;
}

function agentNotFound(
  idOrName: string,
  project: string | undefined,
  here: readonly AgentRecord[],
): Refusal {
  const where = project === undefined ? '' : ` in ${project}`;
  const names = here.map(({ settings }) => settings.name);
  const isTooShort = TOO_SHORT.test(idOrName);
  return new Refusal({
    code: 'agent.not-found',
    message: `There is no agent ${JSON.stringify(idOrName)}${where}${suggest(nearest(idOrName, names))}.`,
    hint: `${isTooShort ? 'The beginning of an id needs at least 4 digits. ' : ''}${LIST_HINT}`,
  });
}

function agentAmbiguous(beginning: string, found: readonly AgentRecord[]): Refusal {
  const listed = found.slice(0, LISTED_MAX).map(({ run, settings }) => `${run} (${settings.name})`);
  const more = found.length > LISTED_MAX ? ' and more' : '';
  return new Refusal({
    code: 'agent.ambiguous',
    message: `The ids of several agents begin with ${beginning}: ${listed.join(', ')}${more}.`,
    hint: 'Add more digits of the id, or use the name.',
  });
}

export function agentEndedRefusal({ settings, run, outcome }: AgentRecord): Refusal {
  return new Refusal({
    code: 'agent.ended',
    message: `The agent ${settings.name} (${run}) has ended${outcome === null ? '' : `: ${outcome.kind}, ${outcome.reason}`}.`,
    hint: 'Spawn another one with: supervisor spawn "…"',
  });
}

/** The requested parent, or else the root of the project. Null if there is neither. */
export function findParent(
  requested: string | undefined,
  kind: LongLivedSettings['kind'],
  project: string,
  agents: readonly AgentRecord[],
): AgentRecord | null {
  if (requested === undefined) return kind === 'root' ? null : (findRoot(project, agents) ?? null);
  const parent = findAgent(requested, project, agents);
  if (parent.status.isOver) throw agentEndedRefusal(parent);
  return parent;
}

function findRoot(project: string, agents: readonly AgentRecord[]): AgentRecord | undefined {
  return agents.find(
    (one) => one.project === project && one.settings.kind === 'root' && !one.status.isOver,
  );
}

export function checkName(
  name: string,
  kind: LongLivedSettings['kind'],
  project: string,
  agents: readonly AgentRecord[],
): void {
  if (!NAME.test(name))
    throw new Refusal({
      code: 'request.invalid',
      message: `${JSON.stringify(name)} is not a valid name for an agent.`,
      hint: 'Names have 1 to 63 lowercase letters, digits or hyphens, and start with a letter.',
    });
  const taken = runningAgents(project, agents).find(({ settings }) => settings.name === name);
  if (taken !== undefined)
    throw new Refusal({
      code: 'agent.name-taken',
      message: `An agent with the name ${name} exists already (${taken.run}).`,
      hint: `Use another name, or dismiss that agent with: supervisor dismiss ${name}`,
      details: { run: taken.run },
    });
  const root = kind === 'root' ? findRoot(project, agents) : undefined;
  if (root !== undefined)
    throw new Refusal({
      code: 'agent.name-taken',
      message: `${project} has a root already: ${root.settings.name} (${root.run}).`,
      hint: 'A project has one root. Spawn a mortal below it.',
    });
}

/** The first free name of this kind, such as `mortal-2`. */
export function freeName(
  kind: LongLivedSettings['kind'],
  project: string,
  agents: readonly AgentRecord[],
): string {
  const taken = new Set(runningAgents(project, agents).map(({ settings }) => settings.name));
  let number = 1;
  while (taken.has(`${kind}-${number}`)) number += 1;
  return `${kind}-${number}`;
}

export function checkFamily(
  parent: AgentRecord | null,
  agents: readonly AgentRecord[],
  { depthMax, childrenMax }: Pick<Settings['tree'], 'depthMax' | 'childrenMax'>,
): void {
  if (parent === null) return;
  const children = agents.filter(
    ({ settings, status }) => settings.parent === parent.run && !status.isOver,
  );
  if (children.length >= childrenMax)
    throw tooMany(
      `${parent.settings.name} has ${plural(children.length, 'child', 'children')}, and the limit is ${childrenMax}`,
      'tree.children_max',
    );
  const depth = findDepth(parent, agents) + 1;
  if (depth > depthMax)
    throw tooMany(
      `The agent would be at depth ${depth}, and the limit is ${depthMax}`,
      'tree.depth_max',
    );
}

/**
 * The sandbox and the budget of a child must be within those of its parent. Refuses with
 * `agent.grant-too-wide`.
 */
export function checkInheritance(
  { settings: candidate }: AgentSubmission,
  parent: AgentRecord | null,
  agents: readonly AgentRecord[],
  now: number,
): void {
  if (parent === null) return;
  const { longLived, sandbox } = candidate;
  const available = { ...parent.settings.grant, budget: remainingBudget(parent, agents, now) };
  checkGrant(available, longLived.grant);
  if (candidate.unsafe === true && parent.attempt.unsafe !== true)
    throw new Refusal({
      code: 'agent.grant-too-wide',
      message: 'A child cannot have more than its parent: its parent has a sandbox.',
      hint: 'Spawn it without --unsafe-no-sandbox, or under a parent that has no sandbox.',
    });
  const parentSandbox = parent.attempt.sandbox;
  for (const limit of ['memoryBytes', 'cpus', 'pids'] as const)
    if (sandbox[limit] > parentSandbox[limit])
      throw new Refusal({
        code: 'agent.grant-too-wide',
        message: `A child cannot have more than its parent: its parent has ${parentSandbox[limit]} ${limit}, not ${sandbox[limit]}.`,
        hint: 'Request less, or spawn it under a parent that has more.',
      });
}

/** The number of agents from the top of the tree down to this one. */
function findDepth(agent: AgentRecord, agents: readonly AgentRecord[]): number {
  const byRun = new Map<string, AgentRecord>(agents.map((one) => [one.run, one]));
  let depth = 1;
  for (let parent = agent.settings.parent; parent !== null && depth < 100; depth += 1)
    parent = byRun.get(parent)?.settings.parent ?? null;
  return depth;
}

function runningAgents(project: string, agents: readonly AgentRecord[]): readonly AgentRecord[] {
  return agents.filter((one) => one.project === project && !one.status.isOver);
}

function tooMany(what: string, key: string): Refusal {
  return new Refusal({
    code: 'agent.too-many',
    message: `${what}.`,
    hint: `Dismiss some agents, or raise ${key} in the configuration.`,
  });
}
