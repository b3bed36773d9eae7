/** What a role changes about a run: its agents, its gates, its time limit, and the flags of its agent. */
import { readGrants } from '../../adapters/tool-grants.ts';
import { roleAgents } from '../../attempts/choice/role-agents.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Role } from '../../roles/role.ts';
import { onFailFields } from '../../settings/gate-config.ts';
import { findAgent } from '../../settings/settings.ts';
import type { Settings } from '../../settings/settings.ts';

/** Refuses a role with a tool that no agent has. */
export function applyRole(
  role: Role,
  isOfProject: boolean,
  request: RunRequest,
  settings: Settings,
): { readonly request: RunRequest; readonly settings: Settings } {
  const granted = readGrants(role.allowedTools);
  if (granted.kind === 'refused') throw unknownTool(role.name, granted.why);
  const chosen = roleAgents(role.cli, request, settings);
  return {
    request: { ...request, ...chosen },
    settings: withRole(settings, role, isOfProject, chosen.agent ?? chosen.chain?.[0] ?? null),
  };
}

const GATE_MS_MAX = 600_000;

/**
 * Flags apply only to the agent that the role names, not to an agent that replaces it. Gates of the
 * project check its code, so they apply only to roles that write code. A role of the user replaces
 * a gate of the same name. A role of the project only adds gates: otherwise it could replace a
 * strict gate of the user by one that always passes.
 */
function withRole(
  settings: Settings,
  role: Role,
  isOfProject: boolean,
  agentId: string | null,
): Settings {
  const gates = role.gates.map(({ name, command, onFail }) => ({
    name,
    command: ['sh', '-c', command],
    timeoutMs: GATE_MS_MAX,
    ...onFailFields(onFail),
  }));
  const chosen = new Set(gates.map(({ name }) => name));
  const others = role.answer === 'implementation' ? settings.gates : [];
  const remaining = isOfProject ? others : others.filter(({ name }) => !chosen.has(name));
  const all = [...remaining, ...gates];
  const attempt = { ...settings.attempt, deadlineMs: tighter(settings, role) };
  const agent = agentId === null ? undefined : findAgent(settings, agentId);
  if (agent === undefined || role.flags.length === 0) return { ...settings, gates: all, attempt };
  const flagged = {
    ...agent,
    args: [...agent.args, ...role.flags],
    ...(isOfProject ? { fromProject: true as const } : {}),
  };
  const isOwn = settings.agents.some(({ id }) => id === agent.id);
  const agents = settings.agents.map((one) => (one.id === agent.id ? flagged : one));
  return { ...settings, gates: all, attempt, agents: isOwn ? agents : [...agents, flagged] };
}

/** The shorter deadline: a role of a project must not give an agent more time than the user allows. */
function tighter({ attempt }: Settings, { deadlineMs }: Role): number | null {
  const known = [attempt.deadlineMs, deadlineMs].filter((ms) => ms !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function unknownTool(role: string, why: string): Refusal {
  return new Refusal({
    code: 'role.invalid',
    message: `An agent with the role ${role} ${why}`,
    hint: 'List only known tools in allowed_tools of the role, or omit it to allow all.',
    details: { role },
  });
}
