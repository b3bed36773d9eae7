/** The variables that an agent logs in with: which of them a command gave it, and the hash that recognizes them. */
import { agentAccount } from '../../attempts/identity.ts';
import { hashText } from '../../base/hash-text.ts';
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import { withoutSecrets } from '../../execution/environments/agent-secrets.ts';
import { CREDENTIAL_VARIABLES, credentialVariables } from '../../gateway/network/upstreams.ts';
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
