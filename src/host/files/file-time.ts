/** The time of a file's last change, as a mark that costs one small write. */
import { statSync, utimesSync } from 'node:fs';

/** In milliseconds since 1970. Undefined if there is no such file. */
export function fileTime(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? Math.round(found.mtimeMs) : undefined;
}

/** Does nothing if there is no such file, or the disk does not take it: the mark is only missing then. */
export function setFileTime(path: string, at: number): void {
  try {
    utimesSync(path, at / 1000, at / 1000);
  } catch {
    // the next mark may succeed
  }
}
