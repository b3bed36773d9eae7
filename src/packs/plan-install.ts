/** Decides whether a pack may be installed beside what is there. Pure. */
import { hashText } from '../base/hash-text.ts';
import type { InstalledPack, PackFile } from '../settings/pack-file.ts';
import { refusePack } from './pack-error.ts';
import type { PackTexts } from './read-archive.ts';

export type PackCandidate = {
  readonly manifest: PackFile;
  readonly texts: PackTexts;
  readonly pinned: string;
  /** As a person would write it. */
  readonly source: string;
};

export type InstallPlan =
  | { readonly kind: 'there' }
  | { readonly kind: 'install'; readonly pack: InstalledPack; readonly replaces: string | null };

/** `taken`: by path, what has this name already and can not be replaced. */
export function planInstall(
  { manifest, texts, pinned, source }: PackCandidate,
  installed: readonly InstalledPack[],
  taken: ReadonlyMap<string, string>,
): InstallPlan {
  const { name, version, author, description, dependencies } = manifest;
  const before = installed.find((pack) => pack.name === name);
  const isSameVersion = before?.version === version || before?.source === source;
  if (before?.pinned === pinned) return { kind: 'there' };
  if (before !== undefined && isSameVersion)
    throw refusePack(
      `${source} is not what you installed before. It was ${short(before.pinned)}, and now it is ${short(pinned)}. A version or a tag that changes its content can not be trusted.`,
      `Ask its author why. To use the new content, remove the old one with: supervisor roles remove ${name}`,
    );
  const files = [...texts].filter(([path]) => path !== 'pack.yaml');
  if (files.length === 0 && Object.keys(dependencies).length === 0)
    throw refusePack(`The pack ${name} is empty.`);
  for (const [path] of files) {
    const other = installed.find((pack) => pack.name !== name && Object.hasOwn(pack.files, path));
    const owner = taken.get(path) ?? (other === undefined ? undefined : `the pack ${other.name}`);
    if (owner !== undefined)
      throw refusePack(
        `${path} of the pack ${name} has the name of a file that ${owner} has. A pack replaces nothing.`,
      );
  }
  return {
    kind: 'install',
    replaces: before?.version ?? null,
    pack: {
      ...{ name, version, author, description, source, pinned, dependencies },
      files: Object.fromEntries(files.map(([path, text]) => [path, hashText(text)])),
    },
  };
}

/** Installed packs that need this one. */
export function dependents(name: string, installed: readonly InstalledPack[]): readonly string[] {
  return installed
    .filter(({ dependencies }) => Object.hasOwn(dependencies, name))
    .map((pack) => pack.name);
}

function short(pinned: string): string {
  return pinned.slice(0, 'sha512-'.length + 12);
}
