/** The system's word for what went wrong, such as ENOENT; `UNKNOWN` when it is not the system's error. */
export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : 'UNKNOWN';
}
