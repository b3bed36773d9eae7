/** The variables that an agent logs in with: which of them a command gave it, and the hash that recognizes them. */
import { agentAccount } from '../../attempts/choice/identity.ts';
import { hashText } from '../../base/hash-text.ts';
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import { withoutSecrets } from '../../execution/environments/agent-secrets.ts';
import { loginInEnvironment } from '../../gateway/network/logins.ts';
import {
  CREDENTIAL_VARIABLES,
  credentialVariables,
  upstreamsFor,
  upstreamsFromEnv,
} from '../../gateway/network/upstreams.ts';
import type { AgentSpec, GivenVariables } from '../../protocol/pinned-settings.ts';
import { SETUP_VARIABLES } from '../../protocol/run-environment.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const DIGITS = 12;

/** The environment of a command: that of its shell if it sent one, otherwise that of the owner. */
export type CredentialSource = {
  readonly variables: Variables;
  /** Whether the values come from the shell of the command. */
  readonly isFromShell: boolean;
  /** For tests: its scripted agents work in the project itself. */
  readonly scriptedInProject?: boolean;
};

/**
 * In a sandbox, the gateway uses the credentials, and the agent sees none. Without one, the CLI reads them itself, so
 * every variable in which it finds a login counts.
 */
type Containment = { readonly isContained: boolean };

const CONTAINED: Containment = { isContained: true };

/** The agent as the journal may store it: of its secrets and of what its command gave it, only the names. */
export function pinAgent<Spec extends AgentSpec>(
  agent: Spec,
  { variables, isFromShell, scriptedInProject = false }: CredentialSource,
  containment = CONTAINED,
): Spec & Pick<AgentSpec, 'secrets' | 'account' | 'given' | 'inProject'> {
  const plain = withoutSecrets(agent);
  if (agent.cli === 'scripted') return scriptedInProject ? { ...plain, inProject: true } : plain;
  const names = namesFor(agent, containment).filter((name) => (variables[name] ?? '') !== '');
  if (names.length === 0 && !isFromShell) return plain;
  const values = pickVariables(variables, names);
  const given: GivenVariables = { names, digest: isFromShell ? digestOf(values) : null };
  const account = agentAccount({ ...values, ...agent.env });
  return { ...plain, given, ...(account === '' ? {} : { account }) };
}

/**
 * A run that is resumed takes the keys of the shell that resumes it. If that shell has no key for an agent, the run
 * waits for those that it was given at first.
 */
export function repinAgent(
  agent: AgentSpec,
  source: CredentialSource,
  containment = CONTAINED,
): AgentSpec {
  const { variables, isFromShell } = source;
  if (!isFromShell || agent.cli === 'scripted') return agent;
  const { given, account: _, ...plain } = agent;
  const has = (name: string): boolean => (variables[name] ?? '') !== '';
  const lost = (given?.names ?? []).filter((name) => !has(name));
  const keepsAll = (given?.names ?? []).length > 0 && lost.length === 0;
  // A run that had an address of its own must not send the project to another provider.
  const hasAddresses = !lost.some((name) => ADDRESS.test(name));
  if (!keepsAll && !(hasAddresses && canLogIn(agent, variables))) return agent;
  const pinned = pinAgent(plain, source, containment);
  // The secrets of its own settings are part of its account, and only their names are stored.
  const { account } = (agent.secrets ?? []).length === 0 ? pinned : agent;
  return { ...pinned, ...(account === undefined ? {} : { account }) };
}

const ADDRESS = /_URL$/;

/** Whether these variables contain a key or a token with which this agent reaches a model. */
function canLogIn({ cli, model, env }: AgentSpec, variables: Variables): boolean {
  const upstreams = upstreamsFor({ cli, model, env }, upstreamsFromEnv(variables));
  return Object.keys(upstreams).length > 0 || loginInEnvironment(cli, variables) !== undefined;
}

/** The variables that a shell may give this agent. Its own settings take precedence. */
export function namesFor(
  agent: Pick<AgentSpec, 'cli' | 'model' | 'env' | 'secrets'>,
  { isContained } = CONTAINED,
): string[] {
  const { cli, env, secrets = [] } = agent;
  const own = new Set([...Object.keys(env), ...secrets]);
  const login = AGENT_CLI_FACTS.find((facts) => facts.cli === cli)?.variables ?? [];
  const names = [...credentialVariables(agent), ...(isContained ? [] : login)];
  return [...new Set(names)].filter((name) => !own.has(name));
}

export function pickVariables(
  variables: Variables,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variables[name] ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
}

export function digestOf(values: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hashText(JSON.stringify(sorted)).slice(0, DIGITS);
}

/** Without every variable in which a CLI could find credentials. */
export function withoutCredentials(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !CREDENTIAL_VARIABLES.has(name)),
  );
}

/** Without what the package managers of a setup read. */
export function withoutSetupVariables(variables: Variables): Variables {
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !SETUP_VARIABLES.includes(name)),
  );
}
