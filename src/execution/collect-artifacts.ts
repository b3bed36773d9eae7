/**
 * Artifacts are files that an agent delivers besides its changes: a report, a picture, a log. Each attempt
 * has a folder for them. When the run ends, Supervisor checks the files, counts them and collects them.
 */
import { join } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import type { CollectBounds, CollectedFiles } from '../host/files/tree/collect-files.ts';
import { collectFiles } from '../host/files/tree/collect-files.ts';
import { ensurePrivateDir, writeFileAtomic } from '../host/files/atomic-files.ts';
import { readTextFile } from '../host/files/read-text-file.ts';
import { listTreeFolder } from '../host/files/tree/read-tree.ts';
import { removeTree } from '../host/files/tree/write-tree.ts';

/** The environment variable with the path of that folder. */
export const ARTIFACTS_VARIABLE = 'SUPERVISOR_ARTIFACTS';

/** The bounds for one attempt. */
const ARTIFACT_BOUNDS: CollectBounds = {
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
  /** Has a folder for each running attempt. */
  readonly staging: string;
  /** Has the collected files of each attempt. */
  readonly collected: string;
};

export function artifactPaths(stateDir: string, run: string): ArtifactPaths {
  const own = join(stateDir, 'artifacts', run);
  return { staging: join(own, 'staging'), collected: join(own, 'collected') };
}

/** Creates the folder in which one attempt puts its artifacts. */
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
  const { staging, collected } = artifactPaths(stateDir, run);
  for (const key of await listFolders(staging)) {
    const into = join(collected, key);
    if ((await readIndex(collected, key)) === undefined) {
      await removeTree(into); // the rest of an interrupted collection
      await ensurePrivateDir(into);
      const files = await collectFiles(join(staging, key), join(into, 'files'), bounds, signal);
      await writeFileAtomic(join(into, 'index.json'), JSON.stringify(files));
    }
    await removeTree(join(staging, key));
  }
  await removeTree(staging);
  return readArtifacts(stateDir, run);
}

/** The collected artifacts of a run, by attempt. */
export async function readArtifacts(
  stateDir: string,
  run: string,
): Promise<readonly StoredArtifacts[]> {
  const { collected } = artifactPaths(stateDir, run);
  const all: StoredArtifacts[] = [];
  for (const key of await listFolders(collected)) {
    const index = await readIndex(collected, key);
    if (index !== undefined && index.files.length + index.refused.length > 0)
      all.push({ key, ...index });
  }
  return all.toSorted((a, b) => attemptNumber(a.key) - attemptNumber(b.key));
}

/** The path of a collected artifact. */
export function artifactFile(stateDir: string, run: string, key: string, path: string): string {
  return join(artifactPaths(stateDir, run).collected, key, 'files', path);
}

async function readIndex(folder: string, key: string): Promise<CollectedFiles | undefined> {
  const text = await readTextFile(join(folder, key, 'index.json'), INDEX_BYTES_MAX);
  const index = parseJson(text ?? '');
  return isRecord(index) ? (index as CollectedFiles) : undefined;
}

async function listFolders(folder: string): Promise<readonly string[]> {
  const found = await listTreeFolder(folder, '').catch(() => undefined); // the folder does not exist
  return (found ?? []).filter(({ kind }) => kind === 'folder').map(({ name }) => name);
}

/** `attempt-10` comes after `attempt-9`. */
function attemptNumber(key: string): number {
  return Number(/\d+$/.exec(key)?.[0] ?? 0);
}
