/** Who may be summoned, by whom and with how much: pure rules over the agents that there are. */
import { Refusal } from '../../base/errors.ts';
import { parseRunId } from '../../base/ids.ts';
import { checkGrant } from '../../agents/agent-grants.ts';
import type { Submission } from '../../protocol/event.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { Settings } from '../../settings/settings.ts';
import type { AttemptSettings } from '../../attempts/attempt.ts';
import { remainingOf } from './delegated-budgets.ts';
import type { AgentRecord } from './agent-registry.ts';

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const LOOK = 'See them with: supervisor tree --all';

/** An id of any project, or a name of this one; of several with one name the one that lives, else the last. */
export function findAgent(
  idOrName: string,
  project: string | undefined,
  agents: readonly AgentRecord[],
): AgentRecord {
  const run = parseRunId(idOrName);
  const byId = run === undefined ? undefined : agents.find((one) => one.run === run);
  const named = agents.filter(
    (one) => one.settings.name === idOrName && (project === undefined || one.project === project),
  );
  const found = byId ?? named.find(({ standing }) => !standing.over) ?? named.at(-1);
  if (found !== undefined) return found;
  throw new Refusal({
    code: 'agent.not-found',
    message: `There is no agent ${JSON.stringify(idOrName)}${project === undefined ? '' : ` in ${project}`}.`,
    hint: LOOK,
  });
}

export function isOver({ settings, run, outcome }: AgentRecord): Refusal {
  return new Refusal({
    code: 'agent.over',
    message: `The agent ${settings.name} (${run}) is over${outcome === null ? '' : `: ${outcome.kind}, ${outcome.reason}`}.`,
    hint: 'Summon another one with: supervisor spawn "…"',
  });
}

/** The one that is named, or else the root of the project; null: a person's own. */
export function parentOf(
  wanted: string | undefined,
  kind: LongLivedSettings['kind'],
  project: string,
  agents: readonly AgentRecord[],
): AgentRecord | null {
  if (wanted === undefined) return kind === 'root' ? null : (rootOf(project, agents) ?? null);
  const parent = findAgent(wanted, project, agents);
  if (parent.standing.over) throw isOver(parent);
  return parent;
}

export function rootOf(project: string, agents: readonly AgentRecord[]): AgentRecord | undefined {
  return agents.find(
    (one) => one.project === project && one.settings.kind === 'root' && !one.standing.over,
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
      message: `${JSON.stringify(name)} is no name for an agent.`,
      hint: 'Take up to 63 small letters, digits and -, the first a letter.',
    });
  const taken = living(project, agents).find(({ settings }) => settings.name === name);
  if (taken !== undefined)
    throw new Refusal({
      code: 'agent.name-taken',
      message: `There is an agent ${name} already (${taken.run}).`,
      hint: `Take another name, or let that one go with: supervisor dismiss ${name}`,
      details: { run: taken.run },
    });
  const root = kind === 'root' ? rootOf(project, agents) : undefined;
  if (root !== undefined)
    throw new Refusal({
      code: 'agent.name-taken',
      message: `${project} has a root already: ${root.settings.name} (${root.run}).`,
      hint: 'A project has one root; summon a mortal below it.',
    });
}

/** The first name of its kind that nobody living has. */
export function freeName(
  kind: LongLivedSettings['kind'],
  project: string,
  agents: readonly AgentRecord[],
): string {
  const taken = new Set(living(project, agents).map(({ settings }) => settings.name));
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
    ({ settings, standing }) => settings.parent === parent.run && !standing.over,
  );
  if (children.length >= childrenMax)
    throw tooMany(
      `${parent.settings.name} has ${children.length} children, and may have ${childrenMax}`,
      'tree.children_max',
    );
  const depth = depthOf(parent, agents) + 1;
  if (depth > depthMax)
    throw tooMany(`It would be ${depth} deep, and ${depthMax} is allowed`, 'tree.depth_max');
}

/** A child's sandbox and budget are a part of its parent's. Refuses with `agent.grant-too-wide`. */
export function checkInheritance(
  { settings }: Submission,
  parent: AgentRecord | null,
  agents: readonly AgentRecord[],
  now: number,
): void {
  if (parent === null) return;
  const summons = settings as unknown as AttemptSettings & { life: LongLivedSettings };
  const { life, sandbox } = summons;
  const has = { ...parent.settings.grant, budget: remainingOf(parent, agents, now) };
  checkGrant(has, life.grant);
  if (summons.unsafe === true && parent.attempt.unsafe !== true)
    throw new Refusal({
      code: 'agent.grant-too-wide',
      message: "A child can't have more than its parent: its parent has a sandbox.",
      hint: 'Summon it without --unsafe-no-sandbox, or under a parent that has none.',
    });
  const theirs = parent.attempt.sandbox;
  if (sandbox === undefined || theirs === undefined) return;
  for (const limit of ['memoryBytes', 'cpus', 'pids'] as const)
    if (sandbox[limit] > theirs[limit])
      throw new Refusal({
        code: 'agent.grant-too-wide',
        message: `A child can't have more than its parent: its parent has ${theirs[limit]} ${limit}, not ${sandbox[limit]}.`,
        hint: 'Ask for less, or start it under a parent that has it.',
      });
}

/** How many agents there are from the top down to it. */
function depthOf(agent: AgentRecord, agents: readonly AgentRecord[]): number {
  const byRun = new Map<string, AgentRecord>(agents.map((one) => [one.run, one]));
  let depth = 1;
  for (let above = agent.settings.parent; above !== null && depth < 100; depth += 1)
    above = byRun.get(above)?.settings.parent ?? null;
  return depth;
}

function living(project: string, agents: readonly AgentRecord[]): readonly AgentRecord[] {
  return agents.filter((one) => one.project === project && !one.standing.over);
}

function tooMany(what: string, key: string): Refusal {
  return new Refusal({
    code: 'agent.too-many',
    message: `${what}.`,
    hint: `Dismiss some, or raise ${key} in the configuration.`,
  });
}
