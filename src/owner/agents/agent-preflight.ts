/** Checks, before a long-lived agent is spawned, whether it could work on this machine. */
import { describeRefusal, refusalOr } from '../../execution/refusal-outcome.ts';
import { Refusal } from '../../base/errors.ts';
import { checkFolder } from '../../host/files/usable-folder.ts';
import { freeMemory } from '../../host/machine/machine.ts';
import type { FolderFact } from '../../monitors/spawn-preflight.ts';
import { spawnProblems } from '../../monitors/spawn-preflight.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Backend } from '../../sandbox/policy.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { agentRefusals } from '../preflight/preflight-agents.ts';
import { requireDiskHeadroom } from '../disk-headroom.ts';
import type { AttemptSettings } from '../../protocol/pinned-settings.ts';

/** The pinned settings of an agent that these checks need. */
export type SpawnCandidate = Pick<AttemptSettings, 'agent' | 'sandbox' | 'unsafe'> & {
  readonly longLived: Pick<LongLivedSettings, 'grant'>;
};

type Ports = {
  readonly options: OwnerOptions;
  readonly executionHost: ExecutionHost;
  readonly limits: Settings['limits'];
};

/**
 * All problems that prevent the agent from starting, as sentences. An empty list means that it can
 * be spawned.
 */
export async function agentPreflight(
  candidate: SpawnCandidate,
  project: string,
  ports: Ports,
): Promise<readonly string[]> {
  const { agent, unsafe = false, longLived } = candidate;
  const isUnsandboxed = agent.cli === 'scripted' || unsafe;
  const chosen = isUnsandboxed ? undefined : await chooseBackend(candidate, ports);
  const environment =
    chosen instanceof Refusal || chosen === undefined ? undefined : { backend: chosen };
  const context = {
    request: { project, unsafe },
    settings: { sandbox: candidate.sandbox },
    prompt: '',
    brief: undefined,
    sandbox: environment,
  };
  const { writes, reads } = longLived.grant;
  const disk = await refusalOr(requireDiskHeadroom(ports.executionHost.stateDir, ports.limits));
  return spawnProblems({
    sandbox: chosen instanceof Refusal ? chosen.message : null,
    disk: disk instanceof Refusal ? disk.message : null,
    memoryFreeBytes: freeMemory(),
    folders: [
      ...(await checkFolders([project], 'reading')),
      ...(await checkFolders(writes, 'writing')),
      ...(await checkFolders(reads, 'reading')),
    ],
    login: (await agentRefusals(agent, context, ports)).map(describeRefusal),
  });
}

/**
 * One refusal that lists all problems. Supervisor does not restart such an agent, because the same
 * problems would occur again.
 */
export function preflightFailed(name: string, problems: readonly string[]): Refusal {
  return new Refusal({
    code: 'agent.preflight-failed',
    message: `The agent ${name} is not started: ${problems.map(withoutFullStop).join('; ')}.`,
    hint: 'Fix these problems and spawn the agent again. To see what this machine lacks: supervisor doctor',
    details: { problems: problems.length },
  });
}

function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** The backend is probed once per boot of the machine, so only the first call is slow. */
async function chooseBackend(
  { sandbox }: SpawnCandidate,
  { executionHost }: Ports,
): Promise<Backend | Refusal> {
  const { backend, image } = sandbox;
  const choice = await refusalOr(executionHost.chooseBackend({ backend, image, unsafe: false }));
  return choice instanceof Refusal ? choice : choice.backend;
}

async function checkFolders(
  paths: readonly string[],
  use: FolderFact['for'],
): Promise<readonly FolderFact[]> {
  const found = paths.map(async (path) => ({
    path,
    for: use,
    state: await checkFolder(path, use),
  }));
  return Promise.all(found);
}
