/** Looks whether an agent could do anything here at all, before it is summoned. */
import { adapterFor } from '../agents/adapters.ts';
import type { AgentSpec } from '../agents/adapter.ts';
import type { AttemptSettings } from '../attempts/attempt.ts';
import { findUpstreams } from '../attempts/find-upstreams.ts';
import { findInstallation } from '../attempts/installation.ts';
import { inWords, unlessRefused } from '../attempts/refused.ts';
import type { SetupPlacePorts } from '../attempts/setup-place.ts';
import { Refusal } from '../base/errors.ts';
import { missingKeys } from '../gateway/upstreams.ts';
import { diskSpace } from '../host/disk-space.ts';
import { folderUse } from '../host/folder-use.ts';
import { freeMemory } from '../host/machine.ts';
import type { FolderFact } from '../monitors/preflight.ts';
import { problemsBefore } from '../monitors/preflight.ts';
import type { LifeSettings } from '../protocol/life.ts';
import { defaultSettings } from '../protocol/to-settings.ts';
import type { Backend } from '../sandbox/policy.ts';
import type { OwnerOptions } from './owner-options.ts';
import { groundOf } from './places.ts';
import { secretsOf } from './settings-for.ts';

/** What is pinned into the run of an agent, as far as it matters here. */
export type Summons = Pick<AttemptSettings, 'agent' | 'sandbox' | 'unsafe'> & {
  readonly life: Pick<LifeSettings, 'grant'>;
};

type PreflightPorts = Omit<SetupPlacePorts, 'keptBefore'> & {
  readonly options: OwnerOptions;
};

export type Preflight = (summons: Summons, project: string) => Promise<readonly string[]>;

/** For an owner. What it finds out about sandboxes, it finds out once. */
export function preflightOf(options: OwnerOptions): Preflight {
  const ports = { ...groundOf(options), options };
  return (summons, project) => preflight(summons, project, ports);
}

/** The refusal that says all of it. No restart follows: what is missing would be missing again. */
export function preflightFailed(name: string, problems: readonly string[]): Refusal {
  return new Refusal({
    code: 'agent.preflight-failed',
    message: `${name} can't be summoned: ${problems.join('; ')}.`,
    hint: 'Mend that and summon it again. What this machine has and lacks: supervisor doctor',
    details: { problems: problems.length },
  });
}

/** All that is in the way, in sentences; none: it may be summoned. */
async function preflight(
  summons: Summons,
  project: string,
  ports: PreflightPorts,
): Promise<readonly string[]> {
  const { agent, unsafe = false, life } = summons;
  const isBare = agent.cli === 'scripted' || unsafe;
  const chosen = isBare ? null : await chooseFor(summons, ports);
  const { writes, reads } = life.grant;
  return problemsBefore({
    sandbox: chosen instanceof Refusal ? chosen.message : null,
    diskFreeBytes: (await diskSpace(ports.stateDir))?.freeBytes,
    memoryFreeBytes: freeMemory(),
    folders: [
      ...(await lookAt([project], 'reading')),
      ...(await lookAt(writes, 'writing')),
      ...(await lookAt(reads, 'reading')),
    ],
    login: await loginOf(agent, project, chosen instanceof Refusal ? null : chosen, isBare, ports),
  });
}

/** The canary is tried once a boot, so this costs something only the first time. */
async function chooseFor({ sandbox }: Summons, ports: PreflightPorts): Promise<Backend | Refusal> {
  const { backend, image } = sandbox ?? defaultSettings.sandbox;
  const choice = await unlessRefused(ports.choose({ backend, image, unsafe: false }));
  return choice instanceof Refusal ? choice : choice.backend;
}

async function lookAt(
  paths: readonly string[],
  use: FolderFact['for'],
): Promise<readonly FolderFact[]> {
  const found = paths.map(async (path) => ({ path, for: use, state: await folderUse(path, use) }));
  return Promise.all(found);
}

/** As an attempt would find it: the program, the variables that are not written down, a key or a login. */
async function loginOf(
  agent: AgentSpec,
  project: string,
  backend: Backend | null,
  isBare: boolean,
  ports: PreflightPorts,
): Promise<readonly string[]> {
  if (agent.cli === 'scripted') return [];
  if (adapterFor(agent) === undefined) return [`nothing here can run ${agent.cli}`];
  const program = agent.cli === 'custom' ? (agent.command?.[0] ?? '') : agent.cli;
  const hasImage = backend === 'docker' || backend === 'podman';
  const isThere = hasImage || findInstallation(program, ports.env) !== undefined;
  const missing = isThere ? [] : [`${program} is not installed, or not in the owner's PATH`];
  const secrets = await unlessRefused(secretsOf(ports.options, agent, project));
  if (secrets instanceof Refusal) return [...missing, inWords(secrets)];
  if (isBare) return missing; // it speaks to its model in its own way, as it does for its user
  const paid = await unlessRefused(
    findUpstreams({ ...agent, env: { ...agent.env, ...secrets } }, ports),
  );
  if (paid instanceof Refusal) return [...missing, inWords(paid)];
  const keys = missingKeys(agent.cli, paid.upstreams);
  if (keys.length === 0) return missing;
  return [...missing, `${agent.cli} is not logged in, and the owner knows no ${keys.join(' or ')}`];
}
