/** Which agents a run may use, and in which order: one entry an identity, the chosen one first. */
import type { AgentSpec } from '../agents/adapter.ts';
import { identityOf } from './identity.ts';
import type { Survey } from './survey.ts';

/** Who begins: the first of the list, the one whose turn it is, or the one that has worked least. */
export type ChainOrder = 'as-listed' | 'round-robin' | 'least-used';

export type ChainSettings = {
  readonly agents: readonly AgentSpec[];
  readonly order: ChainOrder;
  /** Which agent follows which; where nobody follows anybody, the list does. */
  readonly fallbacks: Readonly<Record<string, string>>;
};

/** The order of one run, by ids. Its first is the first attempt. */
export function chainOf(settings: ChainSettings, survey: Survey | null): readonly string[] {
  const agents = oncePerIdentity(settings.agents);
  const first = firstOf(agents, settings.order, survey);
  return first === undefined ? [] : followers(first, agents, settings.fallbacks);
}

function oncePerIdentity(agents: readonly AgentSpec[]): readonly AgentSpec[] {
  const identities = agents.map(identityOf);
  return agents.filter((_, place) => identities.indexOf(identities[place] ?? '') === place);
}

function firstOf(
  agents: readonly AgentSpec[],
  order: ChainOrder,
  survey: Survey | null,
): AgentSpec | undefined {
  switch (order) {
    case 'as-listed':
      return agents[0];
    case 'round-robin':
      // An agent that is not there any more has the place before the first.
      return agents[(agents.findIndex(({ id }) => id === survey?.lastFirst) + 1) % agents.length];
    case 'least-used':
      return agents.toSorted((a, b) => usesOf(a, survey) - usesOf(b, survey))[0];
  }
}

function usesOf(agent: AgentSpec, survey: Survey | null): number {
  return survey?.uses[identityOf(agent)] ?? 0;
}

function followers(
  first: AgentSpec,
  agents: readonly AgentSpec[],
  fallbacks: Readonly<Record<string, string>>,
): readonly string[] {
  if (Object.keys(fallbacks).length === 0) {
    const place = agents.indexOf(first);
    return [...agents.slice(place), ...agents.slice(0, place)].map(({ id }) => id);
  }
  const chain: string[] = [];
  // A circle is cut where it closes; an id that nobody has ends the chain.
  for (
    let id: string | undefined = first.id;
    id !== undefined && !chain.includes(id) && agents.some((agent) => agent.id === id);
    id = Object.hasOwn(fallbacks, id) ? fallbacks[id] : undefined
  )
    chain.push(id);
  return chain;
}
