/** The processes of an agent's CLI, as the system shows them. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { processTable } from '../../src/host/process/process-table.ts';

/** A process and its descendants, oldest first. */
export async function familyOf(pid: number): Promise<readonly number[]> {
  const rows = await processTable.rows();
  const family = [pid];
  for (const one of family)
    family.push(...rows.filter(({ ppid }) => ppid === one).map((row) => row.pid));
  return family;
}

/** Matches the start of the command line; its wrappers have the same words further on. */
export function isCli(pid: number): boolean {
  const words = argvOf(pid).slice(0, 2);
  return words.some((word) => /^(claude|codex)(\.\w+)?$/.test(basename(word)));
}

function argvOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return []; // it is gone by now
  }
}
