/** Fetches a pack with everything that it needs, and decides what would be installed. Changes nothing. */
import { defined } from '../../base/defined.ts';
import { listFolder } from '../../host/files/list-folder.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { fetchPack } from '../../packs/fetch-pack.ts';
import type { FetchPorts } from '../../packs/fetch-pack.ts';
import { readInstalled, withPacks } from '../../packs/installed-packs.ts';
import { refusePack } from '../../packs/pack-error.ts';
import type { PackSource } from '../../packs/pack-source.ts';
import { describeSource, parsePackSource } from '../../packs/pack-source.ts';
import { parseManifest } from '../../packs/parse-manifest.ts';
import type { PackCandidate } from '../../packs/plan-install.ts';
import { planInstall } from '../../packs/plan-install.ts';
import type { PackTexts } from '../../packs/read-archive.ts';
import { PACKS } from '../../roles/packs.ts';
import type { InstalledPack } from '../../settings/pack-file.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { builtInFiles, checkPack } from './check-pack.ts';

export type NewPack = {
  readonly pack: InstalledPack;
  readonly texts: PackTexts;
  /** The version that it replaces. */
  readonly replaces: string | null;
};

/** One pack with its dependencies, and theirs. */
const PACKS_MAX = 10;

export type FoundPacks = {
  readonly name: string;
  /** In the order in which they were asked for. Empty: everything is installed already. */
  readonly added: readonly NewPack[];
  /** What was installed when this was decided. */
  readonly seen: readonly InstalledPack[];
};

export async function findNewPacks(context: CliContext, typed: string): Promise<FoundPacks> {
  const home = stateHome(context).dir;
  const disk = withPacks(home, { read: readTextFile, list: listFolder });
  const taken = await builtInFiles(disk);
  const wanted: { readonly source: PackSource; readonly by: string | null }[] = [
    { source: parsePackSource(typed, context.cwd), by: null },
  ];
  const seen = await readInstalled(home);
  let installed = seen;
  const added: NewPack[] = [];
  let first: string | undefined;
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
    const candidate = await fetchCandidate(context, next.source);
    const { manifest, texts } = candidate;
    requireName(manifest.name, manifest.version, next);
    first ??= manifest.name;
    const plan = planInstall(candidate, installed, taken);
    if (plan.kind === 'there') continue;
    installed = [...installed.filter(({ name }) => name !== manifest.name), plan.pack];
    added.push({ pack: plan.pack, texts, replaces: plan.replaces });
    if (added.length > PACKS_MAX)
      throw refusePack(`${first} needs more than ${PACKS_MAX - 1} other packs.`);
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      const there = installed.find((pack) => pack.name === name);
      if (there !== undefined && there.version !== version)
        throw refusePack(
          `${manifest.name} needs ${name} ${version}, and ${there.version} is installed.`,
          `Remove it first: supervisor roles remove ${name}`,
        );
      if (there === undefined)
        wanted.push({ source: { kind: 'npm', name, version }, by: manifest.name });
    }
  }
  const texts = new Map(added.flatMap((one) => [...one.texts]));
  texts.delete('pack.yaml');
  await checkPack(home, texts, disk);
  return { name: first ?? typed, added, seen };
}

async function fetchCandidate(context: CliContext, source: PackSource): Promise<PackCandidate> {
  const ports: FetchPorts = {
    clock: context.clock,
    env: defined({ ...context.env }) as Record<string, string>,
    tag: `roles-install/${context.pid}`,
  };
  const { texts, pinned } = await fetchPack(ports, source);
  const builtIn = PACKS.map(({ id }) => id);
  const manifest = parseManifest(texts.get('pack.yaml') ?? '', builtIn);
  const exact: PackSource =
    source.kind === 'npm' ? { ...source, version: manifest.version } : source;
  return { manifest, texts, pinned, source: describeSource(exact) };
}

/** A package may only bring the pack that it is named after. */
function requireName(
  name: string,
  version: string,
  { source, by }: { readonly source: PackSource; readonly by: string | null },
): void {
  if (source.kind !== 'npm') return;
  const isExact = /^\d/.test(source.version);
  if (name === source.name && (!isExact || version === source.version)) return;
  const who = by === null ? '' : `, which ${by} needs`;
  throw refusePack(
    `The package ${source.name}@${source.version}${who} contains the pack ${name} ${version}.`,
  );
}
