import { statSync } from 'node:fs';
import { realPathSync } from './real-path.ts';

/** A text that changes when another file is installed at the path. Undefined: no file is there. */
export function fileStamp(path: string): string | undefined {
  const real = realPathSync(path);
  const stats = real === undefined ? undefined : statSync(real, { throwIfNoEntry: false });
  return stats?.isFile() === true ? `${real} ${stats.size} ${stats.mtimeMs}` : undefined;
}
