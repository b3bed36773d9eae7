/**
 * Which role of an organization an agent has: the one that its run names, else the one for the work that its turns show.
 * A specialist goes before an executive, and an executive before a commander. In conversation there is none.
 */
import type {
  OrganizationRole,
  PinnedOrganization,
  TaskDomain,
} from '../protocol/contracts/organization-contract.ts';
import { ROLE_TYPES } from '../protocol/contracts/organization-contract.ts';
import type { TurnRecord } from '../protocol/turn.ts';
import { domainOf } from './task-domain.ts';

export type RoleWatch = {
  /** The work that the role was chosen for. Null: no tool was used yet. */
  readonly domain: TaskDomain | null;
  readonly role: OrganizationRole | null;
  /** The work of the last turns, if it differs, and in how many turns in a row. */
  readonly other: { readonly domain: TaskDomain; readonly turns: number } | null;
};

export const NO_ROLE: RoleWatch = { domain: null, role: null, other: null };

/** An agent that reads a few files has not changed its work. */
const SWITCH_TURNS = 5;

/** `name`: the role of the run. Null: it has none. */
export function foldRole(
  watch: RoleWatch,
  turn: Pick<TurnRecord, 'steps'>,
  organization: PinnedOrganization,
  name: string | null,
): RoleWatch {
  const domain = domainOf(turn);
  const named = organization.roles.find(({ id }) => id === name);
  if (domain === null) return named === undefined ? watch : { ...watch, role: named };
  if (watch.domain === domain)
    return { domain, role: named ?? watch.role ?? roleFor(organization, domain), other: null };
  const turns = watch.other?.domain === domain ? watch.other.turns + 1 : 1;
  if (watch.domain !== null && turns < SWITCH_TURNS) return { ...watch, other: { domain, turns } };
  // Work without a role of its own does not end the role that the agent has.
  return { domain, role: named ?? roleFor(organization, domain) ?? watch.role, other: null };
}

function roleFor(
  { roles, routing }: PinnedOrganization,
  domain: TaskDomain,
): OrganizationRole | null {
  const routed = roles.find(({ id }) => id === routing[domain]);
  if (routed !== undefined) return routed;
  const fitting = roles.filter(({ domains }) => domains.includes(domain));
  const [first] = fitting.toSorted(
    (one, other) => ROLE_TYPES.indexOf(one.type) - ROLE_TYPES.indexOf(other.type),
  );
  return first ?? null;
}
