/** Tells a program in a terminal of its own that the window of the person has another size. */
import { readlink } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import type { ProcessReader } from './read-process.ts';
import { runCommand } from './run-command.ts';

const DEADLINE_MS = 5000;
const OUTPUT_BYTES_MAX = 10_000;
const IS_TERMINAL = /^\/dev\/(?:pts\/|tty)/;

type Size = { readonly rows: number; readonly columns: number };

/** The terminal may be in another mount namespace, where only its descriptor names it. */
export async function resizeTerminal(
  read: ProcessReader,
  { rows, columns }: Size,
  { clock, tag }: { readonly clock: Clock; readonly tag: string },
): Promise<void> {
  const pids: number[] = [];
  await read(({ pid }) => void pids.push(pid));
  for (const pid of pids) {
    const input = `/proc/${pid}/fd/0`;
    const target = await readlink(input).catch(() => ''); // it has ended, or is not ours
    if (!IS_TERMINAL.test(target)) continue;
    const argv = ['stty', '-F', input, 'rows', String(rows), 'cols', String(columns)];
    await runCommand(
      { argv, cwd: '/', env: { PATH: '/usr/bin:/bin' } },
      { clock, tag, deadlineMs: DEADLINE_MS, outputBytesMax: OUTPUT_BYTES_MAX },
    );
    return;
  }
}
