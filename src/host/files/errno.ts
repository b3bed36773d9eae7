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
