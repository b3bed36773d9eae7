/** Which agents a run may use, and in which order: one entry per identity, the chosen agent first. */
import type { AgentSpec, ChainOrder } from '../../protocol/pinned-settings.ts';
import { agentIdentity } from './identity.ts';
import type { Availability } from '../../protocol/commands.ts';

export type ChainSettings = {
  readonly agents: readonly AgentSpec[];
  readonly order: ChainOrder;
  /** Which agent follows which. If it is empty, the order of the list decides. */
  readonly fallbacks: Readonly<Record<string, string>>;
};

/** The part of an agent that the order depends on. */
type Candidate = { readonly id: string; readonly identity: string };

export type AgentOrder = Pick<ChainSettings, 'order' | 'fallbacks'> & {
  readonly agents: readonly Candidate[];
};

export function orderSettings({ agents, order, fallbacks }: ChainSettings): AgentOrder {
  const candidates = agents.map((agent) => ({ id: agent.id, identity: agentIdentity(agent) }));
  return { agents: candidates, order, fallbacks };
}

/** The order of one run, by ids. The first agent makes the first attempt. */
export function buildChain(
  settings: ChainSettings,
  availability: Availability | null,
): readonly string[] {
  return orderChain(orderSettings(settings), availability);
}

export function orderChain(
  { agents: all, order, fallbacks }: AgentOrder,
  availability: Pick<Availability, 'uses' | 'lastFirst'> | null,
): readonly string[] {
  const agents = oncePerIdentity(all);
  const first = pickFirst(agents, order, availability);
  return first === undefined ? [] : followers(first, agents, fallbacks);
}

function oncePerIdentity(agents: readonly Candidate[]): readonly Candidate[] {
  const identities = agents.map(({ identity }) => identity);
  return agents.filter((_, place) => identities.indexOf(identities[place] ?? '') === place);
}

function pickFirst(
  agents: readonly Candidate[],
  order: ChainOrder,
  availability: Pick<Availability, 'uses' | 'lastFirst'> | null,
): Candidate | undefined {
  switch (order) {
    case 'as-listed':
      return agents[0];
    case 'round-robin':
      // If the last first agent is no longer configured, the first agent of the list is next.
      return agents[
        (agents.findIndex(({ id }) => id === availability?.lastFirst) + 1) % agents.length
      ];
    case 'least-used': {
      const uses = ({ identity }: Candidate): number => availability?.uses[identity] ?? 0;
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
  // The chain ends before an agent would repeat, or at an id that no agent has.
  for (
    let id: string | undefined = first.id;
    id !== undefined && !chain.includes(id) && agents.some((agent) => agent.id === id);
    id = Object.hasOwn(fallbacks, id) ? fallbacks[id] : undefined
  )
    chain.push(id);
  return chain;
}
