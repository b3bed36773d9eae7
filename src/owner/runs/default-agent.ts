/**
 * Chooses the CLI of a run if no agent is configured: the first one that is installed and logged
 * in. In a sandbox, its model calls also need a key or login that the gateway can use.
 */
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import type { Clock } from '../../base/clock.ts';
import { isRefusal, Refusal } from '../../base/errors.ts';
import { AGENT_CLI_FACTS, PREFERRED_CLIS } from '../../doctor/supported-clis.ts';
import type { CliEnvironment } from '../../doctor/supported-clis.ts';
import { isExpired, probeLogins } from '../../doctor/probe-logins.ts';
import { installCli } from '../../doctor/install-commands.ts';
import { loginFile } from '../../gateway/network/logins.ts';
import { missingKeys } from '../../gateway/network/upstreams.ts';
import { which } from '../../host/process/which.ts';
import type { Settings } from '../../settings/settings.ts';

export type DefaultAgentPorts = {
  readonly clock: Clock;
  readonly userDir: string;
  /** The environment in which CLIs are found, and the one that may contain keys. */
  readonly env: CliEnvironment;
  readonly ownerEnv: CliEnvironment;
};

/**
 * The CLI of a run whose request names no agent. Null if the settings choose one. Refuses if no CLI is ready: here it is
 * known which ones are installed, so the refusal has the command that helps.
 */
export async function requireDefaultAgent(
  { agents, defaultAgent, selection }: Pick<Settings, 'agents' | 'defaultAgent' | 'selection'>,
  ports: DefaultAgentPorts,
  options: { readonly unsafe: boolean },
): Promise<string | null> {
  if (agents.length > 0 || defaultAgent !== null || selection.mode === 'pinned') return null;
  const found = await findDefaultAgent(ports, options);
  if (found !== null) return found;
  const installed = installedClis(ports);
  const isNone = installed.length === 0;
  const wanted = isNone ? ['claude'] : installed;
  const remedies = wanted.map((cli) => remedyOf(cli, isNone, options.unsafe)).join(', or ');
  throw new Refusal({
    code: 'agent.unknown',
    message: isNone
      ? 'No agent is named, none is configured, and no agent CLI is installed here.'
      : `No agent is named, none is configured, and no installed agent CLI is logged in: ${installed.join(', ')}.`,
    hint: `${isNone ? 'Install one and log in, such as' : 'Log in'}: ${remedies}. To try Supervisor without one: --agent scripted`,
  });
}

/** The login of some CLIs works only without a sandbox, so a sandbox needs a key. */
function remedyOf(cli: string, installs: boolean, unsafe: boolean): string {
  const known = AGENT_CLI_FACTS.find((facts) => facts.cli === cli);
  const keys = missingKeys(cli, {}).join(' or ');
  if (known === undefined) return cli;
  if (!unsafe && loginFile(cli, null, '', {}) === undefined) return `set ${keys}`;
  return installs ? `${installCli(known.npm)} && ${known.login}` : known.login;
}

function installedClis({ env }: DefaultAgentPorts): readonly string[] {
  return PREFERRED_CLIS.filter((name) => which(name, env) !== undefined);
}

/** Null if no CLI is installed and logged in. */
export async function findDefaultAgent(
  ports: DefaultAgentPorts,
  { unsafe }: { readonly unsafe: boolean },
): Promise<string | null> {
  const installed = installedClis(ports);
  if (!unsafe)
    for (const name of installed) if (await hasUsableCredentials(name, ports)) return name;
  // The gateway cannot use such a login, but the refusal that follows names this CLI and explains
  // why.
  for (const name of installed) if (await isLoggedIn(name, ports)) return name;
  return null;
}

async function hasUsableCredentials(cli: string, ports: DefaultAgentPorts): Promise<boolean> {
  try {
    const { upstreams } = await findCredentials({ cli, configDir: null, env: {} }, ports);
    return missingKeys(cli, upstreams).length === 0;
  } catch (error) {
    if (isRefusal(error)) return false; // the login has expired
    throw error;
  }
}

async function isLoggedIn(
  name: string,
  { userDir, ownerEnv, clock }: DefaultAgentPorts,
): Promise<boolean> {
  const cli = AGENT_CLI_FACTS.find((facts) => facts.cli === name);
  if (cli === undefined) return false;
  const logins = await probeLogins(cli, userDir, ownerEnv);
  return logins.some((login) => login.kind !== 'unreadable' && !isExpired(login, clock.now()));
}
