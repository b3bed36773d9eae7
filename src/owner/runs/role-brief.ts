/**
 * Applies a role to a request when it is submitted: the agent, the prompt with its context, the
 * form of the answer, and the gates. All of it is pinned here, so a later change of a file affects
 * only later runs.
 */
import { readGrants } from '../../adapters/tool-grants.ts';
import { roleAgents, roleClis } from '../../attempts/role-agents.ts';
import { Refusal } from '../../base/errors.ts';
import type { BriefStore } from '../../brief/brief-store.ts';
import { prepareBrief } from '../../brief/prepare-brief.ts';
import { ContextCache } from '../../context/context-cache.ts';
import { Redactor } from '../../redaction/redactor.ts';
import { findSecretsIn } from '../../redaction/find-secrets.ts';
import type { RunRequest } from '../../protocol/api.ts';
import { findAgent } from '../../settings/settings.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Role } from '../../roles/role.ts';
import type { TrustedProject } from '../../trust/trusted-project.ts';
import type { PinnedBrief } from '../../protocol/pinned-settings.ts';

export type RoleBriefPorts = {
  readonly home: string;
  readonly project: TrustedProject;
  readonly store: Pick<BriefStore, 'save'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runCommand: (command: string) => Promise<string>;
};

export type RoleBrief = {
  readonly request: RunRequest;
  readonly settings: Settings;
  readonly brief: PinnedBrief;
};

export async function briefRequest(
  request: RunRequest & { readonly role: string },
  settings: Settings,
  { home, project, store, env, runCommand }: RoleBriefPorts,
): Promise<RoleBrief> {
  const agentEnvs = settings.agents.map((agent) => agent.env);
  const redactor = new Redactor(findSecretsIn(env, ...agentEnvs));
  const { role, prompt, isOfProject } = await prepareBrief({
    home,
    project,
    role: request.role,
    task: request.task,
    targets: request.targets ?? [],
    clisOf: ({ cli }) => roleClis(cli, request, settings),
    redact: (text) => redactor.redact(text),
    cache: new ContextCache(), // a shared cache would hold the project's files in the owner's memory
    runCommand,
  });
  const granted = readGrants(role.allowedTools);
  if (granted.kind === 'refused') throw unknownTool(role.name, granted.why);
  const chosen = roleAgents(role.cli, request, settings);
  return {
    request: { ...request, ...chosen },
    settings: withRole(settings, role, isOfProject, chosen.agent ?? chosen.chain?.[0] ?? null),
    brief: {
      role: role.name,
      hash: await store.save(prompt),
      answer: role.answer,
      allowedTools: role.allowedTools.length === 0 ? null : role.allowedTools,
    },
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
    ...(onFail === 'warn' ? { warns: true } : {}),
    ...(onFail === 'block' ? { blocks: true } : {}),
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
