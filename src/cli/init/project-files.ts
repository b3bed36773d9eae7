/** Writes files into a project's `.supervisor` folder, and trusts what the user has let it write. */
import { join } from 'node:path';
import { unwritableRefusal } from '../../host/files/unwritable.ts';
import { writeBeneath } from '../../host/files/tree/write-beneath.ts';
import { PROJECT_FOLDER, toTrustedEntry } from '../../trust/project-folder.ts';
import { entryText } from '../../trust/text-of.ts';
import { writeTrust } from '../../trust/trust-store.ts';
import type { TrustState } from '../../trust/trusted-project.ts';
import { readTrustState } from '../../trust/trusted-project.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { obstacleRefusal, requireOwnFolder } from '../input/own-folder.ts';

export type ProjectFileToWrite = {
  /** Relative to the project's `.supervisor` folder. */
  readonly path: string;
  readonly text: string;
  /** Replace a file that is there. Only if the user has agreed. */
  readonly replaces?: boolean;
};

type WrittenFile = {
  readonly path: string;
  readonly what: 'created' | 'replaced' | 'kept';
};

export type WrittenFiles = {
  readonly files: readonly WrittenFile[];
  /** False if the folder has files that the user has not trusted. */
  readonly isTrusted: boolean;
};

/** Files that exist stay as they are, unless `replaces` is set. If one path leads out of the project, none is written. */
export async function writeProjectFiles(
  context: CliContext,
  project: string,
  wanted: readonly ProjectFileToWrite[],
): Promise<WrittenFiles> {
  const paths = wanted.map(({ path }) => path);
  await requireOwnFolder(context, project, paths);
  const before = await readTrustState({ home: stateHome(context).dir, project });
  const files: WrittenFile[] = [];
  for (const { path, text, replaces = false } of wanted) {
    const file = join(PROJECT_FOLDER, path);
    const what = await writeBeneath(project, { path: file, text, replaces }).catch((error) => {
      const left = files.length === 0 ? 'Nothing was written.' : 'Other files were written before.';
      throw unwritableRefusal(error, join(project, file), left) ?? error;
    });
    // A link can still appear after the check above.
    if (what === 'blocked') throw obstacleRefusal(join(project, file));
    files.push({ path, what });
  }
  return { files, isTrusted: await trustWritten(context, before, wanted) };
}

const TEXT_BYTES_MAX = 256_000;

/** Trusts the files that were written, unless the folder also has files that the user has not trusted. */
async function trustWritten(
  context: CliContext,
  before: TrustState,
  files: readonly ProjectFileToWrite[],
): Promise<boolean> {
  const home = stateHome(context).dir;
  const { project } = before;
  const now = await readTrustState({ home, project });
  if (now.kind === 'none' || now.kind === 'trusted') return true;
  const known = before.kind === 'none' ? [] : before.folder.entries;
  const ours = new Map(files.map(({ path, text }) => [path, text]));
  const digests = new Set(known.map((entry) => JSON.stringify(toTrustedEntry(entry))));
  const isOurs = now.folder.entries.every(
    (entry) =>
      entry.kind === 'folder' ||
      digests.has(JSON.stringify(toTrustedEntry(entry))) ||
      ours.get(entry.path) === entryText(entry, TEXT_BYTES_MAX),
  );
  if (!isOurs || (before.kind !== 'none' && before.kind !== 'trusted')) return false;
  await writeTrust(home, project, now.folder, context.clock.now());
  return true;
}
