/** The CLI that a run uses where nobody has configured an agent: the first that is installed and logged in. */
import { AGENT_CLI_FACTS } from '../doctor/agent-clis.ts';
import type { Environment } from '../doctor/agent-clis.ts';
import { probeLogins } from '../doctor/probe-logins.ts';
import { which } from '../host/which.ts';

const ORDER = ['codex', 'claude', 'gemini', 'copilot', 'opencode'];

/** `path` is the environment in which agents are found, `env` the one that may hold keys. */
export async function readyCli(
  userDir: string,
  path: Environment,
  env: Environment,
): Promise<string | null> {
  for (const name of ORDER) {
    const cli = AGENT_CLI_FACTS.find((facts) => facts.cli === name);
    if (cli === undefined || which(name, path) === undefined) continue;
    const logins = await probeLogins(cli, userDir, env);
    if (logins.some(({ kind }) => kind !== 'unreadable')) return name;
  }
  return null;
}
