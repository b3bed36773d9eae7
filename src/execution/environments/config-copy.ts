/** Copies the text files of an agent's `config_dir` for the home that the agent gets in the sandbox. */
import { join } from 'node:path';
import { instructionFilesFor } from '../../adapters/config-texts.ts';
import { describeError, Refusal } from '../../base/errors.ts';
import { readFolder } from '../../host/files/read-folder.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { realPath } from '../../host/files/real-path.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';

const BOUNDS = { entriesMax: 1000, bytesMax: 4_000_000, depthMax: 10 };
const FILE_BYTES_MAX = 1_000_000;

/** By path in the agent's home. Empty if the agent has no `config_dir`. */
export async function configCopy({
  cli,
  configDir = null,
}: Pick<AgentSpec, 'cli' | 'configDir'>): Promise<Readonly<Record<string, string>>> {
  const known = instructionFilesFor(cli);
  if (configDir === null || known === undefined) return {};
  const from = join(configDir, known.from);
  const copied: Record<string, string> = {};
  try {
    for (const name of known.files) {
      const text = await readTextFile(join(from, name), FILE_BYTES_MAX);
      if (text !== undefined && Buffer.byteLength(text) > FILE_BYTES_MAX)
        throw tooLarge(join(from, name), `${FILE_BYTES_MAX / 1_000_000} MB`);
      if (text !== undefined) copied[`${known.to}/${name}`] = text;
    }
    for (const name of known.folders) {
      for (const [path, text] of await textsIn(join(from, name)))
        copied[`${known.to}/${name}/${path}`] = text;
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw unreadable(configDir, error);
  }
  return copied;
}

/** Does not follow links and leaves out files that are not text. */
async function textsIn(folder: string): Promise<readonly (readonly [string, string])[]> {
  // The folder itself may be a link, because some people keep it under version control elsewhere.
  const real = await realPath(folder);
  if (real === undefined) return [];
  const read = await readFolder(real, BOUNDS);
  if (read.kind === 'too-large')
    throw tooLarge(
      join(folder, read.path),
      `${BOUNDS.entriesMax} files or ${BOUNDS.bytesMax / 1_000_000} MB`,
    );
  const entries = read.kind === 'read' ? read.entries : [];
  return entries.flatMap((entry) => {
    if (entry.kind !== 'file') return [];
    const text = Buffer.from(entry.bytes).toString('utf8');
    return /[\0\uFFFD]/.test(text) ? [] : [[entry.path, text] as const];
  });
}

function tooLarge(path: string, most: string): Refusal {
  return new Refusal({
    code: 'config.unreadable',
    message: `${path} is too large to be given to an agent: it goes beyond ${most}.`,
    hint: 'Name a smaller folder as config_dir of the agent.',
    details: { file: path },
  });
}

function unreadable(folder: string, error: unknown): Refusal {
  return new Refusal(
    {
      code: 'config.unreadable',
      message: `${folder}, the config_dir of an agent, can not be read: ${describeError(error)}`,
      hint: 'Make it a folder that you may read, or name another one.',
      details: { file: folder },
    },
    { cause: error },
  );
}
