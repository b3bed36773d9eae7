/** Turns an error about a file that may not be changed into a refusal with its path and what to do. */
import { Refusal } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-words.ts';
import { errnoCode } from './errno.ts';

const CAUSES: Readonly<Record<string, readonly [cause: string, remedy: (path: string) => string]>> =
  {
    EACCES: [
      'you may not write there',
      (path) => `Allow it, such as with: chmod u+w ${shellWord(path)} (and for its folder)`,
    ],
    EPERM: [
      'the system protects it',
      (path) => `If it is immutable, which lsattr shows, use: chattr -i ${shellWord(path)}`,
    ],
    EROFS: ['the file system is read-only', () => 'Mount it for writing, and try again.'],
  };

/** Undefined: the error is another one. `after`: what the failed command has left, as a sentence. */
export function unwritableRefusal(
  error: unknown,
  path: string,
  after: string,
): Refusal | undefined {
  const code = errnoCode(error);
  const known = Object.hasOwn(CAUSES, code) ? CAUSES[code] : undefined;
  if (known === undefined) return undefined;
  const [cause, remedy] = known;
  return new Refusal(
    {
      code: 'machine.fault',
      message: `${path} can't be changed: ${cause} (${code}). ${after}`,
      hint: remedy(path),
      details: { file: path },
    },
    { cause: error },
  );
}
