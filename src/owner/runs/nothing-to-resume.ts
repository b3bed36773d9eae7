import { Refusal } from '../../base/errors.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { endedBadly } from '../../protocol/outcome.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

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
