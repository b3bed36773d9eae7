/**
 * The packs that a person has installed. Their files are in one folder of the home, and a list says which content each
 * must have. Only files of the list are read, and only with exactly that content.
 */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { hashText } from '../base/hash-text.ts';
import { parseJson } from '../base/json.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile, removeFile } from '../host/files/read-text-file.ts';
import { InstalledPacks } from '../settings/pack-file.ts';
import type { InstalledPack } from '../settings/pack-file.ts';
import { COMMUNITY_FOLDER } from '../trust/project-folder.ts';
import type { FileTexts } from '../trust/trusted-project.ts';
import type { PackTexts } from './read-archive.ts';

const LIST_BYTES_MAX = 8_000_000;

function listFile(home: string): string {
  return join(home, 'packs.json');
}

export async function readInstalled(home: string): Promise<readonly InstalledPack[]> {
  const text = await readTextFile(listFile(home), LIST_BYTES_MAX);
  if (text === undefined) return [];
  const parsed = InstalledPacks.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.packs;
  throw new Refusal({
    code: 'pack.changed',
    message: `${listFile(home)} is damaged, so no pack can be used.`,
    hint: 'Remove this file and the folder community beside it. Then install your packs again.',
  });
}

/** The files come first: without their entry in the list, no reader sees them. */
export async function addInstalled(
  home: string,
  added: readonly { readonly pack: InstalledPack; readonly texts: PackTexts }[],
): Promise<void> {
  const before = await readInstalled(home);
  const names = new Set(added.map(({ pack }) => pack.name));
  for (const { pack, texts } of added)
    for (const path of Object.keys(pack.files)) {
      const file = join(join(home, COMMUNITY_FOLDER), path);
      await ensurePrivateDir(join(file, '..'));
      await writeFileAtomic(file, texts.get(path) ?? '');
    }
  const kept = before.filter(({ name }) => !names.has(name));
  const packs = [...kept, ...added.map(({ pack }) => pack)].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  );
  await writeList(home, packs);
  await removeUnlisted(home, before, packs);
}

export async function removeInstalled(home: string, name: string): Promise<void> {
  const before = await readInstalled(home);
  const packs = before.filter((pack) => pack.name !== name);
  await writeList(home, packs);
  await removeUnlisted(home, before, packs);
}

async function writeList(home: string, packs: readonly InstalledPack[]): Promise<void> {
  await writeFileAtomic(listFile(home), `${JSON.stringify({ version: 1, packs }, null, 2)}\n`);
}

async function removeUnlisted(
  home: string,
  before: readonly InstalledPack[],
  after: readonly InstalledPack[],
): Promise<void> {
  const listed = new Set(after.flatMap(({ files }) => Object.keys(files)));
  for (const path of before.flatMap(({ files }) => Object.keys(files)))
    if (!listed.has(path)) await removeFile(join(join(home, COMMUNITY_FOLDER), path));
}

/** Reads files of packs only as they were installed. All other files come from `elsewhere`. */
export function withPacks(home: string, elsewhere: FileTexts): FileTexts {
  const folder = join(home, COMMUNITY_FOLDER);
  let hashes: Promise<ReadonlyMap<string, string>> | undefined;
  const known = (): Promise<ReadonlyMap<string, string>> => (hashes ??= hashesOf(home));
  const inside = (path: string): string | undefined =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
  return {
    read: async (path, bytesMax) => {
      const own = inside(path);
      if (own === undefined) return elsewhere.read(path, bytesMax);
      const expected = (await known()).get(own);
      if (expected === undefined) return undefined;
      const text = await elsewhere.read(path, bytesMax);
      if (text !== undefined && hashText(text) === expected) return text;
      throw changed(path);
    },
    list: async (path) => {
      const own = inside(path);
      if (own === undefined) return elsewhere.list(path);
      return [...(await known()).keys()]
        .filter((one) => one.startsWith(`${own}/`))
        .map((one) => one.slice(own.length + 1))
        .toSorted();
    },
  };
}

async function hashesOf(home: string): Promise<ReadonlyMap<string, string>> {
  const packs = await readInstalled(home);
  return new Map(packs.flatMap(({ files }) => Object.entries(files)));
}

function changed(path: string): Refusal {
  return new Refusal({
    code: 'pack.changed',
    message: `${path} is not as it was installed, so its pack is not used.`,
    hint: 'Remove the pack with: supervisor roles remove NAME. Then install it again.',
    details: { file: path },
  });
}
