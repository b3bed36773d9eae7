import { Refusal } from '../../base/errors.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { AGENT_PROGRAM } from '../../protocol/long-lived-agent.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { endedBadly } from '../../protocol/outcome.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

/**
 * `set-cooldown` only records an earlier decision, so it is not a point from which a run can be resumed.
 */
const RECORD_ONLY = 'set-cooldown';

/**
 * The fact after which a run that ended badly can be resumed. Its end was decided by the user's
 * first stop, or else by how its last command ended. The run continues from before the commands
 * that were open at that time, so they start again. A gate starts again together with the attempt
 * that it checks. Undefined if there is no decision that could be undone.
 */
export async function resumePoint(
  history: AsyncIterable<RunEvent> | Iterable<RunEvent>,
): Promise<number | undefined> {
  const open = new Map<string, number>();
  const recordOnly = new Set<string>();
  let point: number | undefined;
  let attempt = Infinity;
  for await (const event of history) {
    if (event.type === 'command.begun') {
      const { key, command } = event.payload;
      if (command === 'finalize') return point ?? event.seq - 1;
      if (command === 'attempt') attempt = event.seq;
      if (command === RECORD_ONLY) recordOnly.add(key);
      else open.set(key, command === 'gate' ? Math.min(attempt, event.seq) : event.seq);
    }
    // If only such a command is open when a stop arrives, everything was decided before.
    if (isStop(event) && recordOnly.size > 0) return point;
    if (isStop(event)) return Math.min(event.seq, ...open.values()) - 1;
    if (event.type === 'command.ended' && !recordOnly.delete(event.payload.key)) {
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

/**
 * A long-lived agent is not resumable: its supervisor has dismissed it, and a new run would have no
 * supervisor.
 */
export function isResumable({ program }: Pick<RunView, 'program'>, outcome: RunOutcome): boolean {
  return program !== AGENT_PROGRAM && endedBadly(outcome);
}

export function nothingToResume({ id, program }: RunView, { kind }: RunOutcome): Refusal {
  const isAgent = program === AGENT_PROGRAM;
  return new Refusal({
    code: 'run.already-ended',
    message: isAgent
      ? `Run ${id} was a long-lived agent. It ended (${kind}) and cannot be resumed.`
      : `Run ${id} has ended (${kind}). There is nothing to resume.`,
    hint: isAgent
      ? `See what it left with: supervisor diff ${id}`
      : 'Submit the task again with: supervisor run "…"',
  });
}
