/** Programs that are text: what one can be told from its own words. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';

const SCRIPT_BYTES_MAX = 65_536;

/** The text of a program that begins with `#!`, cut at 64 kB; undefined for any other file. */
export function readScript(path: string): string | undefined {
  const text = readText(path);
  return text?.startsWith('#!') === true ? text : undefined;
}

/** The text of a file, cut at 64 kB; undefined where there is none that we may read. */
export function readText(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(SCRIPT_BYTES_MAX);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined; // nothing there, or not ours to read: either way it tells nothing
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The names in a folder, none where it is no folder that we may read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return []; // nothing there, or not ours to read
  }
}
