/** The names under which the output of a command is stored. */
export type AttemptStream = 'stdout' | 'stderr';

/** The name of stored output, or of a recording of model calls. The key of an interrupted gate has a dot. */
export function outputName(key: string, stream: AttemptStream | 'calls'): string {
  return `${key.replaceAll('.', '-')}-${stream}`;
}
