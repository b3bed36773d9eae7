/**
 * What an agent hands over besides changed files: a report, a picture, a log. It puts them into a folder
 * of its attempt's own; when the run is over they are taken over from there, checked and counted.
 */
import { join } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import type { CollectBounds, Collected } from '../host/collect-files.ts';
import { collectFiles } from '../host/collect-files.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files.ts';
import { readTextFile } from '../host/read-text-file.ts';
import { listFolder } from '../host/tree-read.ts';
import { removeTree } from '../host/tree-write.ts';

/** Names the folder in an agent's environment. */
export const ARTIFACTS_VARIABLE = 'SUPERVISOR_ARTIFACTS';

/** Of one attempt. */
export const ARTIFACT_BOUNDS: CollectBounds = {
  filesMax: 1000,
  fileBytesMax: 100_000_000,
  bytesMax: 500_000_000,
  depthMax: 16,
  entriesMax: 10_000,
};
/** How long the collecting of a run's artifacts may take. */
export const COLLECT_MS_MAX = 30_000;
const INDEX_BYTES_MAX = 5_000_000;

export type ArtifactPlaces = {
  /** Where each attempt has its folder. */
  readonly staging: string;
  /** Where each attempt's files are kept. */
  readonly kept: string;
};

export function artifactPlaces(stateDir: string, run: string): ArtifactPlaces {
  const own = join(stateDir, 'artifacts', run);
  return { staging: join(own, 'staging'), kept: join(own, 'kept') };
}

/** Makes the folder that one attempt puts its artifacts into. */
export async function makeStaging(stateDir: string, run: string, key: string): Promise<string> {
  const folder = join(artifactPlaces(stateDir, run).staging, key);
  await ensurePrivateDir(folder);
  return folder;
}

export type KeptArtifacts = Collected & { readonly key: string };

/**
 * Takes over what every attempt of a run has put into its folder, each attempt as a whole. To do so again
 * goes on where it was left, and changes nothing of what is kept already.
 */
export async function collectArtifacts(
  stateDir: string,
  run: string,
  signal: AbortSignal,
  bounds = ARTIFACT_BOUNDS,
): Promise<readonly KeptArtifacts[]> {
  const { staging, kept } = artifactPlaces(stateDir, run);
  for (const key of await foldersOf(staging)) {
    const into = join(kept, key);
    if ((await readIndex(kept, key)) === undefined) {
      await removeTree(into); // what was begun and not finished
      await ensurePrivateDir(into);
      const collected = await collectFiles(join(staging, key), join(into, 'files'), bounds, signal);
      await writeFileAtomic(join(into, 'index.json'), JSON.stringify(collected));
    }
    await removeTree(join(staging, key));
  }
  await removeTree(staging);
  return readArtifacts(stateDir, run);
}

/** What is kept of a run's artifacts, by attempt. */
export async function readArtifacts(
  stateDir: string,
  run: string,
): Promise<readonly KeptArtifacts[]> {
  const { kept } = artifactPlaces(stateDir, run);
  const all: KeptArtifacts[] = [];
  for (const key of await foldersOf(kept)) {
    const index = await readIndex(kept, key);
    if (index !== undefined && index.files.length + index.refused.length > 0)
      all.push({ key, ...index });
  }
  return all.toSorted((a, b) => numberOf(a.key) - numberOf(b.key));
}

/** Where one that is kept lies. */
export function artifactFile(stateDir: string, run: string, key: string, path: string): string {
  return join(artifactPlaces(stateDir, run).kept, key, 'files', path);
}

async function readIndex(kept: string, key: string): Promise<Collected | undefined> {
  const text = await readTextFile(join(kept, key, 'index.json'), INDEX_BYTES_MAX);
  const index = parseJson(text ?? '');
  return isRecord(index) ? (index as Collected) : undefined;
}

async function foldersOf(folder: string): Promise<readonly string[]> {
  const found = await listFolder(folder, '').catch(() => undefined); // none was ever made
  return (found ?? []).filter(({ kind }) => kind === 'folder').map(({ name }) => name);
}

/** `attempt-10` comes after `attempt-9`. */
function numberOf(key: string): number {
  return Number(/\d+$/.exec(key)?.[0] ?? 0);
}
