/** Reads a file that a person named on the command line. Whatever is wrong with it is a refusal with its name. */
import { resolve } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import { errnoWords } from '../../host/files/errno.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { printable } from '../cli-context.ts';

/** `hint` says which file belongs there. Reads at most one byte more than `bytesMax`. */
export async function readGivenFile(
  cwd: string,
  file: string,
  { bytesMax, hint }: { readonly bytesMax: number; readonly hint: string },
): Promise<string> {
  const refuse = (message: string): Refusal =>
    new Refusal({ code: 'usage.invalid', message, hint, details: { file } });
  if (file.trim() === '') throw refuse('The name of the file is empty.');
  const text = await readTextFile(resolve(cwd, file), bytesMax).catch((error: unknown) => {
    throw refuse(`The file ${printable(file)} cannot be read: ${errnoWords(error)}.`);
  });
  if (text === undefined) throw refuse(`The file ${printable(file)} does not exist.`);
  return text;
}
