/** Which agents a run may use, and in which order: one entry an identity, the chosen one first. */
import type { AgentSpec, ChainOrder } from '../protocol/pinned-settings.ts';
import { agentIdentity } from './identity.ts';
import type { Availability } from '../protocol/commands.ts';

export type ChainSettings = {
  readonly agents: readonly AgentSpec[];
  readonly order: ChainOrder;
  /** Which agent follows which; where nobody follows anybody, the list does. */
  readonly fallbacks: Readonly<Record<string, string>>;
};

/** As much of an agent as its place in an order takes. */
export type Candidate = { readonly id: string; readonly identity: string };

export type AgentOrder = Pick<ChainSettings, 'order' | 'fallbacks'> & {
  readonly agents: readonly Candidate[];
};

export function orderSettings({ agents, order, fallbacks }: ChainSettings): AgentOrder {
  const candidates = agents.map((agent) => ({ id: agent.id, identity: agentIdentity(agent) }));
  return { agents: candidates, order, fallbacks };
}

/** The order of one run, by ids. Its first is the first attempt. */
export function buildChain(
  settings: ChainSettings,
  survey: Availability | null,
): readonly string[] {
  return orderChain(orderSettings(settings), survey);
}

export function orderChain(
  { agents: all, order, fallbacks }: AgentOrder,
  survey: Pick<Availability, 'uses' | 'lastFirst'> | null,
): readonly string[] {
  const agents = oncePerIdentity(all);
  const first = firstOf(agents, order, survey);
  return first === undefined ? [] : followers(first, agents, fallbacks);
}

function oncePerIdentity(agents: readonly Candidate[]): readonly Candidate[] {
  const identities = agents.map(({ identity }) => identity);
  return agents.filter((_, place) => identities.indexOf(identities[place] ?? '') === place);
}

function firstOf(
  agents: readonly Candidate[],
  order: ChainOrder,
  survey: Pick<Availability, 'uses' | 'lastFirst'> | null,
): Candidate | undefined {
  switch (order) {
    case 'as-listed':
      return agents[0];
    case 'round-robin':
      // An agent that is not there any more has the place before the first.
      return agents[(agents.findIndex(({ id }) => id === survey?.lastFirst) + 1) % agents.length];
    case 'least-used': {
      const uses = ({ identity }: Candidate): number => survey?.uses[identity] ?? 0;
      return agents.toSorted((a, b) => uses(a) - uses(b))[0];
    }
  }
}

function followers(
  first: Candidate,
  agents: readonly Candidate[],
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
