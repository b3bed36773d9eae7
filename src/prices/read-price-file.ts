/** Reads a file of prices, and refuses one that exists and can't be read. */
import { Refusal } from '../base/errors.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import { TEXT_BYTES_MAX } from '../yaml/read-yaml.ts';

const REASONS: Readonly<Record<string, string>> = {
  EINVAL: 'it is not a plain file',
  EFBIG: `it is larger than ${TEXT_BYTES_MAX} bytes`,
  EACCES: 'permission denied (EACCES)',
};

/** Undefined if there is no such file. */
export async function readPriceFile(file: string): Promise<string | undefined> {
  const read = await readSmallFile(file, TEXT_BYTES_MAX);
  if (read.kind === 'text') return read.text;
  if (read.kind === 'absent') return undefined;
  throw new Refusal({
    code: 'config.unreadable',
    message: `${file}: the file cannot be read: ${REASONS[read.code] ?? read.code}.`,
    hint: 'Make the file readable, or move it away.',
    details: { file },
  });
}
