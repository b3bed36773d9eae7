/** Looks whether an agent that is to live long could do anything here at all, before it is summoned. */
import type { AttemptSettings } from '../attempts/attempt.ts';
import { inWords, unlessRefused } from '../attempts/refused.ts';
import { Refusal } from '../base/errors.ts';
import { folderUse } from '../host/folder-use.ts';
import { freeMemory } from '../host/machine.ts';
import type { FolderFact } from '../monitors/preflight.ts';
import { problemsBefore } from '../monitors/preflight.ts';
import type { LifeSettings } from '../protocol/life.ts';
import type { Settings } from '../protocol/settings.ts';
import { defaultSettings } from '../protocol/to-settings.ts';
import type { Backend } from '../sandbox/policy.ts';
import type { OwnerOptions } from './owner-options.ts';
import type { Ground } from './places.ts';
import { refusalsOf } from './preflight-agents.ts';
import { needRoom } from './room.ts';

/** What is pinned into the run of an agent, as far as it matters here. */
export type Summons = Pick<AttemptSettings, 'agent' | 'sandbox' | 'unsafe'> & {
  readonly life: Pick<LifeSettings, 'grant'>;
};

type Ports = {
  readonly options: OwnerOptions;
  readonly ground: Ground;
  readonly limits: Settings['limits'];
};

/** All that is in the way, in sentences; none: it may be summoned. */
export async function agentPreflight(
  summons: Summons,
  project: string,
  ports: Ports,
): Promise<readonly string[]> {
  const { agent, unsafe = false, life } = summons;
  const isBare = agent.cli === 'scripted' || unsafe;
  const chosen = isBare ? undefined : await chooseFor(summons, ports);
  const place = chosen instanceof Refusal || chosen === undefined ? undefined : { backend: chosen };
  const wish = { request: { project, unsafe }, prompt: '', brief: undefined, place };
  const { writes, reads } = life.grant;
  const full = await unlessRefused(needRoom(ports.ground.stateDir, ports.limits));
  return problemsBefore({
    sandbox: chosen instanceof Refusal ? chosen.message : null,
    disk: full instanceof Refusal ? full.message : null,
    memoryFreeBytes: freeMemory(),
    folders: [
      ...(await lookAt([project], 'reading')),
      ...(await lookAt(writes, 'writing')),
      ...(await lookAt(reads, 'reading')),
    ],
    login: (await refusalsOf(agent, wish, ports)).map(inWords),
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
async function chooseFor({ sandbox }: Summons, { ground }: Ports): Promise<Backend | Refusal> {
  const { backend, image } = sandbox ?? defaultSettings.sandbox;
  const choice = await unlessRefused(ground.choose({ backend, image, unsafe: false }));
  return choice instanceof Refusal ? choice : choice.backend;
}

async function lookAt(
  paths: readonly string[],
  use: FolderFact['for'],
): Promise<readonly FolderFact[]> {
  const found = paths.map(async (path) => ({ path, for: use, state: await folderUse(path, use) }));
  return Promise.all(found);
}
