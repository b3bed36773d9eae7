/** How a shell reports the end of a process in one number. */
import type { ProcessExit } from '../adapters/adapter.ts';

/** The number that a shell gives for a death by signal. */
export const SIGNAL_OF_EXIT: Readonly<Record<number, string>> = {
  129: 'SIGHUP',
  130: 'SIGINT',
  131: 'SIGQUIT',
  132: 'SIGILL',
  133: 'SIGTRAP',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  143: 'SIGTERM',
  159: 'SIGSYS',
};

/** Null: it never started. */
export function shellExitStatus(exit: ProcessExit): number | null {
  if (exit.kind === 'not-started') return null;
  if (exit.kind === 'code') return exit.code;
  const known = Object.entries(SIGNAL_OF_EXIT).find(([, signal]) => signal === exit.signal);
  return known === undefined ? 128 : Number(known[0]);
}
