/** Whether what a run needs in order to begin at all is there. Looked at before there is a run, since no agent can mend it. */
import type { AgentSpec } from '../agents/adapter.ts';
import type { AttemptSettings } from '../attempts/attempt.ts';
import { findProgram } from '../attempts/installation.ts';
import { Refusal } from '../base/errors.ts';
import { AGENT_CLI_FACTS } from '../doctor/agent-clis.ts';
import { installCli } from '../doctor/install-commands.ts';
import type { Submission } from '../protocol/event.ts';
import { defaultSettings } from '../protocol/to-settings.ts';
import type { Ground } from './places.ts';

/** Refuses as the sandbox does that can't be made, or with `agent.unavailable` where no agent of the chain is there. */
export async function needRuntime(
  { project, settings }: Submission,
  ground: Pick<Ground, 'choose' | 'env'>,
): Promise<void> {
  const pinned = settings as unknown as AttemptSettings;
  const { agent, chain = [agent], unsafe = false, setup = null } = pinned;
  // A scripted one is ours: always there, and in no need of walls.
  if (chain.some(({ cli }) => cli === 'scripted')) return;
  const { backend, image } = pinned.sandbox ?? defaultSettings.sandbox;
  const walls = unsafe ? null : (await ground.choose({ backend, image, unsafe: false })).backend;
  if (walls === 'docker' || walls === 'podman') return; // an image may have what this machine has not
  const isThere = (one: AgentSpec): boolean => {
    const env = unsafe ? { ...ground.env, ...one.env } : ground.env;
    return findProgram(programOf(one), project, env) !== undefined;
  };
  // What a setup makes is not there yet.
  if (setup !== null || chain.some(isThere)) return;
  const names = [...new Set(chain.map(programOf))];
  const known = AGENT_CLI_FACTS.find(({ cli }) => names.includes(cli));
  throw new Refusal({
    code: 'agent.unavailable',
    message: `No agent of this run can be started: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not installed, or not in the owner's PATH.`,
    hint:
      known === undefined
        ? 'See what this machine has with: supervisor doctor'
        : `${installCli(known.npm)} && ${known.login}`,
  });
}

function programOf({ cli, command }: AgentSpec): string {
  return command?.[0] ?? cli;
}
