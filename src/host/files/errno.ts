/** The system's word for what went wrong, such as ENOENT; `UNKNOWN` when it is not the system's error. */
export function errnoCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'UNKNOWN';
}

/** The same error with the path that it is about: what is told of an open file comes without one. */
export function withPath(error: unknown, path: string): unknown {
  return error instanceof Error && !('path' in error) ? Object.assign(error, { path }) : error;
}
