/** Reads programs that are text files. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs';

const SCRIPT_BYTES_MAX = 65_536;

/** The text of a program that begins with `#!`, cut at 64 kB. Undefined for any other file. */
export function readScript(path: string): string | undefined {
  const text = readText(path);
  return text?.startsWith('#!') === true ? text : undefined;
}

/** The text of a file, cut at 64 kB. Undefined if there is no readable file. */
export function readText(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(SCRIPT_BYTES_MAX);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, 0));
  } catch {
    return undefined; // missing or unreadable: either way there is no text
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The names in a folder. Empty if there is no readable folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return []; // missing or unreadable
  }
}
