/** What several runs can be told at once. */
import type { Shown } from './run-groups.ts';

export type Instruction = 'pause' | 'unpause' | 'retry-now' | 'next' | 'stop' | 'kill';

/** Whether the instruction means anything to the run. */
export function takes(
  kind: Instruction,
  { board, status }: Pick<Shown, 'board' | 'status'>,
): boolean {
  if (board.row.view.outcome !== null) return false;
  if (kind === 'pause') return status !== 'paused';
  if (kind === 'unpause') return status === 'paused';
  if (kind === 'retry-now') return status === 'cooling' || status === 'retrying';
  return true;
}
