/** Looks whether an agent that is to live long could do anything here at all, before it is summoned. */
import type { AttemptSettings } from '../../attempts/attempt.ts';
import { describeRefusal, refusalOr } from '../../execution/refusal-outcome.ts';
import { Refusal } from '../../base/errors.ts';
import { checkFolder } from '../../host/files/check-folder.ts';
import { freeMemory } from '../../host/machine/machine.ts';
import type { FolderFact } from '../../monitors/spawn-preflight.ts';
import { spawnProblems } from '../../monitors/spawn-preflight.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { Settings } from '../../settings/settings.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { Backend } from '../../sandbox/policy.ts';
import type { OwnerOptions } from '../owner-options.ts';
import type { ExecutionHost } from '../execution-host.ts';
import { agentRefusals } from '../preflight/preflight-agents.ts';
import { requireDiskHeadroom } from '../disk-headroom.ts';

/** What is pinned into the run of an agent, as far as it matters here. */
export type SpawnCandidate = Pick<AttemptSettings, 'agent' | 'sandbox' | 'unsafe'> & {
  readonly life: Pick<LongLivedSettings, 'grant'>;
};

type Ports = {
  readonly options: OwnerOptions;
  readonly ground: ExecutionHost;
  readonly limits: Settings['limits'];
};

/** All that is in the way, in sentences; none: it may be summoned. */
export async function agentPreflight(
  summons: SpawnCandidate,
  project: string,
  ports: Ports,
): Promise<readonly string[]> {
  const { agent, unsafe = false, life } = summons;
  const isBare = agent.cli === 'scripted' || unsafe;
  const chosen = isBare ? undefined : await chooseFor(summons, ports);
  const place = chosen instanceof Refusal || chosen === undefined ? undefined : { backend: chosen };
  const wish = { request: { project, unsafe }, prompt: '', brief: undefined, place };
  const { writes, reads } = life.grant;
  const full = await refusalOr(requireDiskHeadroom(ports.ground.stateDir, ports.limits));
  return spawnProblems({
    sandbox: chosen instanceof Refusal ? chosen.message : null,
    disk: full instanceof Refusal ? full.message : null,
    memoryFreeBytes: freeMemory(),
    folders: [
      ...(await lookAt([project], 'reading')),
      ...(await lookAt(writes, 'writing')),
      ...(await lookAt(reads, 'reading')),
    ],
    login: (await agentRefusals(agent, wish, ports)).map(describeRefusal),
  });
}

/** The refusal that says all of it. No restart follows: what is missing would be missing again. */
export function preflightFailed(name: string, problems: readonly string[]): Refusal {
  return new Refusal({
    code: 'agent.preflight-failed',
    message: `The agent ${name} is not started: ${problems.map(withoutStop).join('; ')}.`,
    hint: 'Mend that and summon it again. What this machine has and lacks: supervisor doctor',
    details: { problems: problems.length },
  });
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** The canary is tried once a boot, so this costs something only the first time. */
async function chooseFor(
  { sandbox }: SpawnCandidate,
  { ground }: Ports,
): Promise<Backend | Refusal> {
  const { backend, image } = sandbox ?? defaultSettings.sandbox;
  const choice = await refusalOr(ground.choose({ backend, image, unsafe: false }));
  return choice instanceof Refusal ? choice : choice.backend;
}

async function lookAt(
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
