/** Apart from the questions, because the screens of a terminal need no schema of a submission. */
import { AGENT_PROGRAM } from '../agent-program-name.ts';
import { ATTEMPTS_PROGRAM } from '../run-submission.ts';
import type { RunView } from './run-view.ts';

/** False: such a run starts no runs, so only its own facts change its questions. */
export function mayAskBelow({ program }: Pick<RunView, 'program'>): boolean {
  return program !== ATTEMPTS_PROGRAM && program !== AGENT_PROGRAM;
}
