/**
 * Chooses the CLI of a run if no agent is configured: the first one that is installed and logged
 * in. In a sandbox, its model calls also need a key or login that the gateway can use.
 */
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import type { Clock } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import { AGENT_CLI_FACTS, PREFERRED_CLIS } from '../../doctor/supported-clis.ts';
import type { CliEnvironment } from '../../doctor/supported-clis.ts';
import { isExpired, probeLogins } from '../../doctor/probe-logins.ts';
import { missingKeys } from '../../gateway/network/upstreams.ts';
import { which } from '../../host/process/which.ts';

export type DefaultAgentPorts = {
  readonly clock: Clock;
  readonly userDir: string;
  /** The environment in which CLIs are found, and the one that may contain keys. */
  readonly env: CliEnvironment;
  readonly ownerEnv: CliEnvironment;
};

/** Null if no CLI is installed and logged in. */
export async function findDefaultAgent(
  ports: DefaultAgentPorts,
  { unsafe }: { readonly unsafe: boolean },
): Promise<string | null> {
  const installed = PREFERRED_CLIS.filter((name) => which(name, ports.env) !== undefined);
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
