/** With --json, standard output has only the result. So each new state of the run is one short line on standard error. */
import type { RunView } from '../../protocol/views/run-view.ts';
import type { RunStatus } from '../../protocol/views/run-status.ts';
import { settledStatus } from '../../protocol/views/run-status.ts';
import { printable } from '../cli-context.ts';

export class ProgressLines {
  readonly #print: (line: string) => void;
  #last = '';

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  show(view: RunView): void {
    const status = settledStatus(view);
    if (status === undefined) return;
    const line = `Run ${view.id}: ${describe(status, view)}\n`;
    if (line !== this.#last) this.#print(line);
    this.#last = line;
  }
}

function describe(status: RunStatus, { agent, attempts, lastAttempt, gate }: RunView): string {
  if (status === 'running') {
    const by = agent === null ? '' : ` with ${printable(agent)}`;
    return attempts === 0 ? status : `${status}, attempt ${lastAttempt}${by}`;
  }
  return status === 'verifying' && gate !== null
    ? `${status}, gate ${printable(gate.name).replaceAll('\n', ' ')}`
    : status;
}
