/**
 * The CLI that a run uses where nobody has configured an agent: the first that is installed and logged
 * in, which in walls means that its model calls can be paid for.
 */
import { findCredentials } from '../../execution/model-gateway/find-credentials.ts';
import type { Clock } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import type { CliEnvironment } from '../../doctor/supported-clis.ts';
import { isOver, probeLogins } from '../../doctor/probe-logins.ts';
import { missingKeys } from '../../gateway/network/upstreams.ts';
import { which } from '../../host/process/which.ts';

const ORDER = ['codex', 'claude', 'gemini', 'copilot', 'opencode'];

export type DefaultAgentPorts = {
  readonly clock: Clock;
  readonly userDir: string;
  /** The environment in which agents are found, and the one that may hold keys. */
  readonly env: CliEnvironment;
  readonly ownerEnv: CliEnvironment;
};

/** Null: none of them is installed and logged in. */
export async function findDefaultAgent(
  ports: DefaultAgentPorts,
  { unsafe }: { readonly unsafe: boolean },
): Promise<string | null> {
  const installed = ORDER.filter((name) => which(name, ports.env) !== undefined);
  if (!unsafe) for (const name of installed) if (await isPaidFor(name, ports)) return name;
  // In walls such a login is of no use; but then it is said of which one, and why.
  for (const name of installed) if (await isLoggedIn(name, ports)) return name;
  return null;
}

async function isPaidFor(cli: string, ports: DefaultAgentPorts): Promise<boolean> {
  try {
    const { upstreams } = await findCredentials({ cli, configDir: null, env: {} }, ports);
    return missingKeys(cli, upstreams).length === 0;
  } catch (error) {
    if (isRefusal(error)) return false; // it has run out
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
  return logins.some((login) => login.kind !== 'unreadable' && !isOver(login, clock.now()));
}
