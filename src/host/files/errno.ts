import { describeError } from '../../base/errors.ts';

/** The system's error code, such as ENOENT. `UNKNOWN` if it is not a system error. */
export function errnoCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'UNKNOWN';
}

/** The same error with its path, because errors of an open file do not contain one. */
export function withPath(error: unknown, path: string): unknown {
  return error instanceof Error && !('path' in error) ? Object.assign(error, { path }) : error;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission',
  EINVAL: 'it is not a plain file',
  EISDIR: 'it is a folder, not a file',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  ENOTDIR: 'a part of its path is not a folder',
  EPERM: 'the system does not allow it',
};

/** Why a file or folder can't be used, as the rest of a sentence about it. */
export function errnoWords(error: unknown): string {
  const code = errnoCode(error);
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined;
  return words === undefined ? describeError(error) : `${words} (${code})`;
}
