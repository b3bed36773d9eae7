/** The agents that settings declare, as doctor sees them: the program of each, and the logins that it would use. */
import { isAbsolute, join } from 'node:path';
import { which } from '../host/process/which.ts';
import type { AgentSettings } from '../settings/agent-config.ts';
import type { OwnAgentFacts } from './machine-facts.ts';
import { probeLogins } from './probe-logins.ts';
import type { AgentCli, CliEnvironment } from './supported-clis.ts';

/** Variables that move the folder in which a CLI keeps its login, as `config_dir` does. */
const FOLDER_VARIABLES: Readonly<Record<string, string>> = {
  claude: 'CLAUDE_CONFIG_DIR',
  codex: 'CODEX_HOME',
  gemini: 'GEMINI_CLI_HOME',
  copilot: 'COPILOT_HOME',
};

export type OwnAgentPorts = {
  readonly userDir: string;
  readonly env: CliEnvironment;
  /** Where `./agent.sh` is searched. Absent: outside of a project. */
  readonly project?: string;
  readonly clis: readonly AgentCli[];
};

export async function probeOwnAgents(
  agents: readonly AgentSettings[],
  ports: OwnAgentPorts,
): Promise<readonly OwnAgentFacts[]> {
  return Promise.all(agents.map((agent) => probeOwnAgent(agent, ports)));
}

async function probeOwnAgent(
  { id, cli, model, command, args, env: own, configDir, fromProject }: AgentSettings,
  { userDir, env, project, clis }: OwnAgentPorts,
): Promise<OwnAgentFacts> {
  const known = clis.find((one) => one.cli === cli);
  const variable = FOLDER_VARIABLES[cli];
  const folder = variable === undefined || configDir === null ? {} : { [variable]: configDir };
  const logins =
    known === undefined ? [] : await probeLogins(known, userDir, { ...env, ...own, ...folder });
  const facts = { id, isOfProject: fromProject === true, cli, model, logins };
  if (cli !== 'custom') return { ...facts, program: null, path: null };
  const program = command?.[0] ?? args[0] ?? '';
  const isRelative = program.includes('/') && !isAbsolute(program);
  const place = isRelative && project !== undefined ? join(project, program) : program;
  const isSearched = !isRelative || project !== undefined;
  const path = isSearched ? (which(place, env) ?? null) : null;
  return { ...facts, program, path };
}
