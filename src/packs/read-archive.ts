/** Reads an archive in memory. Nothing is unpacked: a pack is only a list of names and texts. */
import { unpackTar } from 'modern-tar';
import { gunzip } from '../host/files/archive-bytes.ts';
import { refusePack } from './pack-error.ts';

/** By path. */
export type PackTexts = ReadonlyMap<string, string>;

export const ARCHIVE_BYTES_MAX = 2_000_000;
const UNPACKED_BYTES_MAX = 8_000_000;
const FILES_MAX = 200;
const FILE_BYTES_MAX = 60_000;

const NAMES = String.raw`[a-z][a-z0-9_-]{0,63}`;
/** The only files that are used. */
const USED = new RegExp(
  String.raw`^(?:pack\.yaml|(?:roles|workflows|strategies)/_?${NAMES}\.yaml|templates/_?${NAMES}\.j2)$`,
);
/** Files that a package has anyway. They are neither stored nor run. */
const IGNORED =
  /^(?:package\.json|\.gitignore|\.gitattributes|(?:README|LICENSE|LICENCE|CHANGELOG|NOTICE)(?:\.[A-Za-z]{1,10})?)$/i;

/** Inflates a compressed archive, up to a bound. */
export function inflate(bytes: Uint8Array): Uint8Array {
  let inflated: Uint8Array | undefined;
  try {
    inflated = gunzip(bytes, UNPACKED_BYTES_MAX);
  } catch {
    throw refusePack('The pack is no archive of the form .tgz.');
  }
  if (inflated !== undefined) return inflated;
  throw refusePack(`The pack is larger than ${UNPACKED_BYTES_MAX / 1_000_000} MB.`);
}

/** `folder`: the folder inside the archive that all files are in. Empty: none. */
export async function readArchive(archive: Uint8Array, folder: string): Promise<PackTexts> {
  if (archive.length > UNPACKED_BYTES_MAX)
    throw refusePack(`The pack is larger than ${UNPACKED_BYTES_MAX / 1_000_000} MB.`);
  const entries = await unpackTar(archive, { strict: true }).catch(() => {
    throw refusePack('The archive of the pack is damaged.');
  });
  if (entries.length > FILES_MAX) throw refusePack(`The pack has more than ${FILES_MAX} files.`);
  const texts = new Map<string, string>();
  const seen = new Set<string>();
  for (const { header, data } of entries) {
    if (header.type === 'directory') continue;
    const shown = JSON.stringify(header.name);
    if (header.type !== 'file')
      throw refusePack(`${shown} in the pack is a ${header.type}. A pack has only plain files.`);
    const path = pathInside(header.name, folder);
    if (path === undefined) throw refusePack(`${shown} in the pack is outside of its folder.`);
    // A reader that takes the first one and a reader that takes the last one would see two packs.
    if (seen.has(path)) throw refusePack(`The pack has ${shown} twice.`);
    seen.add(path);
    if (IGNORED.test(path)) continue;
    if (!USED.test(path))
      throw refusePack(
        `The pack has a file that no pack may have: ${shown}.`,
        'A pack has pack.yaml, and in its folders roles, workflows, strategies (*.yaml) and templates (*.j2).',
      );
    texts.set(path, toText(data ?? new Uint8Array(), shown));
  }
  if (!texts.has('pack.yaml')) throw refusePack('The pack has no pack.yaml.');
  return texts;
}

function pathInside(name: string, folder: string): string | undefined {
  const path =
    folder === '' ? name : name.startsWith(`${folder}/`) ? name.slice(folder.length + 1) : '';
  const isOutside = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  return isOutside ? undefined : path;
}

function toText(bytes: Uint8Array, shown: string): string {
  if (bytes.length > FILE_BYTES_MAX)
    throw refusePack(`${shown} in the pack is larger than ${FILE_BYTES_MAX / 1000} kB.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusePack(`${shown} in the pack is not text.`);
  }
}
