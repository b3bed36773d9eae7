/**
 * What an agent hands over besides changed files: a report, a picture, a log. It puts them into a folder
 * of its attempt's own; when the run is over they are taken over from there, checked and counted.
 */
import { join } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import type { CollectBounds, CollectedFiles } from '../host/files/tree/collect-files.ts';
import { collectFiles } from '../host/files/tree/collect-files.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { listTreeFolder } from '../host/files/tree/read-tree.ts';
import { removeTree } from '../host/files/tree/write-tree.ts';

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

export type ArtifactPaths = {
  /** Where each attempt has its folder. */
  readonly staging: string;
  /** Where each attempt's files are kept. */
  readonly kept: string;
};

export function artifactPaths(stateDir: string, run: string): ArtifactPaths {
  const own = join(stateDir, 'artifacts', run);
  return { staging: join(own, 'staging'), kept: join(own, 'kept') };
}

/** Makes the folder that one attempt puts its artifacts into. */
export async function makeStaging(stateDir: string, run: string, key: string): Promise<string> {
  const folder = join(artifactPaths(stateDir, run).staging, key);
  await ensurePrivateDir(folder);
  return folder;
}

export type StoredArtifacts = CollectedFiles & { readonly key: string };

/**
 * Collects the artifacts of every attempt of a run, each attempt as a whole. A repetition continues
 * where the last one stopped, and changes nothing that is collected already.
 */
export async function collectArtifacts(
  stateDir: string,
  run: string,
  signal: AbortSignal,
  bounds = ARTIFACT_BOUNDS,
): Promise<readonly StoredArtifacts[]> {
  const { staging, kept } = artifactPaths(stateDir, run);
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
): Promise<readonly StoredArtifacts[]> {
  const { kept } = artifactPaths(stateDir, run);
  const all: StoredArtifacts[] = [];
  for (const key of await foldersOf(kept)) {
    const index = await readIndex(kept, key);
    if (index !== undefined && index.files.length + index.refused.length > 0)
      all.push({ key, ...index });
  }
  return all.toSorted((a, b) => numberOf(a.key) - numberOf(b.key));
}

/** Where one that is kept lies. */
export function artifactFile(stateDir: string, run: string, key: string, path: string): string {
  return join(artifactPaths(stateDir, run).kept, key, 'files', path);
}

async function readIndex(kept: string, key: string): Promise<CollectedFiles | undefined> {
  const text = await readTextFile(join(kept, key, 'index.json'), INDEX_BYTES_MAX);
  const index = parseJson(text ?? '');
  return isRecord(index) ? (index as CollectedFiles) : undefined;
}

async function foldersOf(folder: string): Promise<readonly string[]> {
  const found = await listTreeFolder(folder, '').catch(() => undefined); // none was ever made
  return (found ?? []).filter(({ kind }) => kind === 'folder').map(({ name }) => name);
}

/** `attempt-10` comes after `attempt-9`. */
function numberOf(key: string): number {
  return Number(/\d+$/.exec(key)?.[0] ?? 0);
}
