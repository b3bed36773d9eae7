import { Refusal } from '../../base/errors.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { AGENT_PROGRAM } from '../../protocol/long-lived-agent.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

/** Writes down what was decided before it, and decides nothing; nor does tidying up. */
const ASIDE = 'cool';

/**
 * Where a run that ended badly can be taken up again. What decided its end is the user's first stop,
 * or else how its last command ended; it goes on from before the commands that were open then had
 * begun, so that they are simply begun anew. A gate is begun anew with the attempt that it judges.
 * Undefined: nothing was decided that could be undone.
 */
export async function resumePoint(
  history: AsyncIterable<RunEvent> | Iterable<RunEvent>,
): Promise<number | undefined> {
  const open = new Map<string, number>();
  const asides = new Set<string>();
  let point: number | undefined;
  let attempt = Infinity;
  for await (const event of history) {
    if (event.type === 'command.begun') {
      const { key, command } = event.payload;
      if (command === 'finalize') return point ?? event.seq - 1;
      if (command === 'attempt') attempt = event.seq;
      if (command === ASIDE) asides.add(key);
      else open.set(key, command === 'gate' ? Math.min(attempt, event.seq) : event.seq);
    }
    // One that finds an aside alone came when all was decided.
    if (isStop(event) && asides.size > 0) return point;
    if (isStop(event)) return Math.min(event.seq, ...open.values()) - 1;
    if (event.type === 'command.ended' && !asides.delete(event.payload.key)) {
      point = Math.min(event.seq, ...open.values()) - 1;
      open.delete(event.payload.key);
    }
  }
  return point;
}

function isStop(event: RunEvent): boolean {
  if (event.type !== 'signal.received') return false;
  return event.payload.signal.kind === 'stop' || event.payload.signal.kind === 'kill';
}

/** Of a long-lived agent its supervisor has let go: a run that went on from it would have none. */
export function isResumable({ program }: RunView, { kind }: RunOutcome): boolean {
  return program !== AGENT_PROGRAM && kind !== 'succeeded' && kind !== 'unverified';
}

export function nothingToResume({ id, program }: RunView, { kind }: RunOutcome): Refusal {
  const isBody = program === AGENT_PROGRAM;
  return new Refusal({
    code: 'run.already-ended',
    message: isBody
      ? `Run ${id} was a long-lived agent, which stays as it ended (${kind}).`
      : `Run ${id} has ended (${kind}); there is nothing to take up.`,
    hint: isBody
      ? `See what it left with: supervisor diff ${id}`
      : 'Submit the task again with: supervisor run "…"',
  });
}
