/** Whether what a run needs in order to begin at all is there. Looked at before there is a run, since no agent can mend it. */
import type { AgentSpec } from '../../adapters/adapter.ts';
import type { AttemptSettings } from '../../attempts/attempt.ts';
import { findProgram } from '../../execution/environments/installation.ts';
import type { UnwrappedCommand } from '../../execution/environments/npx.ts';
import { unwrapNpx } from '../../execution/environments/npx.ts';
import { Refusal } from '../../base/errors.ts';
import { AGENT_CLI_FACTS } from '../../doctor/supported-clis.ts';
import { installCli } from '../../doctor/install-commands.ts';
import type { Submission } from '../../protocol/event.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';

/** Refuses as the sandbox does that can't be made, or with `agent.unavailable` where no agent of the chain is there. */
export async function requireRunnable(
  { project, settings }: Submission,
  executionHost: Pick<ExecutionHost, 'choose' | 'env'>,
): Promise<void> {
  const pinned = settings as unknown as AttemptSettings;
  const { agent, chain = [agent], unsafe = false, setup = null } = pinned;
  // A scripted one is ours: always there, and in no need of walls.
  if (chain.some(({ cli }) => cli === 'scripted')) return;
  const { backend, image } = pinned.sandbox ?? defaultSettings.sandbox;
  const walls = unsafe
    ? null
    : (await executionHost.choose({ backend, image, unsafe: false })).backend;
  if (walls === 'docker' || walls === 'podman') return; // an image may have what this machine has not
  const commandOf = (one: AgentSpec): UnwrappedCommand => {
    const [first = one.cli, ...rest] = one.command ?? [];
    const argv = [first, ...rest] as const;
    return unsafe ? { kind: 'command', argv } : unwrapNpx(argv, project, executionHost.env);
  };
  const isThere = (one: AgentSpec): boolean => {
    const env = unsafe ? { ...executionHost.env, ...one.env } : executionHost.env;
    const command = commandOf(one);
    if (command.kind === 'missing') return false;
    return findProgram(command.argv[0], project, env) !== undefined;
  };
  // What a setup makes is not there yet.
  if (setup !== null || chain.some(isThere)) return;
  const unfetched = chain.map(commandOf).find(({ kind }) => kind === 'missing');
  const names = [...new Set(chain.map(programOf))];
  const known = AGENT_CLI_FACTS.find(({ cli }) => names.includes(cli));
  throw new Refusal({
    code: 'agent.unavailable',
    message: `No agent of this run can be started: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not installed, or not in the owner's PATH.`,
    hint:
      unfetched?.kind === 'missing'
        ? unfetched.words
        : known === undefined
          ? 'See what this machine has with: supervisor doctor'
          : `${installCli(known.npm)} && ${known.login}`,
  });
}

function programOf({ cli, command }: AgentSpec): string {
  return command?.[0] ?? cli;
}
