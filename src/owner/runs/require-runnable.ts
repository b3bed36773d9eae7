/**
 * Checks, before a run exists, that its sandbox and at least one of its agents are available. No
 * agent could fix either.
 */
import { findProgram, isInsideProject } from '../../execution/environments/installation.ts';
import { basename } from 'node:path';
import { worksInProject } from '../../attempts/choice/works-in-project.ts';
import type { UnwrappedCommand } from '../../execution/environments/npx.ts';
import { unwrapNpx } from '../../execution/environments/npx.ts';
import { Refusal } from '../../base/errors.ts';
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import { installCli } from '../../doctor/install-commands.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

/**
 * Refuses with the sandbox's own refusal, or with `agent.unavailable` if no agent of the chain can
 * be started.
 */
export async function requireRunnable(
  { project, settings }: Submission,
  executionHost: Pick<ExecutionHost, 'chooseBackend' | 'env'>,
): Promise<void> {
  const { agent, chain = [agent], unsafe = false, setup, gates = [] } = settings;
  // A scripted agent ships with Supervisor and needs no sandbox. Gates do, and so does a setup in a copy.
  const hasScripted = chain.some(({ cli }) => cli === 'scripted');
  const preparesCopy = setup !== null && !chain.every((one) => worksInProject(one, unsafe));
  if (hasScripted && gates.length === 0 && !preparesCopy) return;
  const { backend, image } = settings.sandbox;
  const sandboxBackend = unsafe
    ? null
    : (await executionHost.chooseBackend({ backend, image, unsafe: false })).backend;
  if (hasScripted) return;
  if (sandboxBackend === 'docker' || sandboxBackend === 'podman') return; // the image may contain programs that this machine lacks
  const resolveCommand = (agent: AgentSpec): UnwrappedCommand => {
    const [first = agent.cli, ...rest] = agent.command ?? [];
    const argv = [first, ...rest] as const;
    return unsafe ? { kind: 'command', argv } : unwrapNpx(argv, project, executionHost.env);
  };
  const isAvailable = (agent: AgentSpec): boolean => {
    const env = unsafe ? { ...executionHost.env, ...agent.env } : executionHost.env;
    const command = resolveCommand(agent);
    if (command.kind === 'missing') return false;
    return findProgram(command.argv[0], project, env) !== undefined;
  };
  if (chain.some((one) => isAvailable(one) || (setup !== null && isMadeBySetup(one)))) return;
  const unfetched = chain.map(resolveCommand).find(({ kind }) => kind === 'missing');
  const names = [...new Set(chain.map(programName))];
  const known = AGENT_CLI_FACTS.find(({ cli }) => names.includes(cli));
  throw new Refusal({
    code: 'agent.unavailable',
    message: `No agent of this run can be started: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not installed, or not in your PATH.`,
    hint:
      unfetched?.kind === 'missing'
        ? unfetched.message
        : known === undefined
          ? 'To see what this machine has: supervisor doctor'
          : `${installCli(known.npm)} && ${known.login}`,
  });
}

/** A setup works inside of the project. A program that is found by its name alone comes from this machine. */
function isMadeBySetup(agent: AgentSpec): boolean {
  const name = programName(agent);
  return isInsideProject(name) || ['npx', 'npm'].includes(basename(name));
}

function programName({ cli, command }: AgentSpec): string {
  return command?.[0] ?? cli;
}
