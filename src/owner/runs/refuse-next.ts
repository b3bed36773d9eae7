/** Refuses the signal `next` if no other agent of the run can take over. Without this, it would have no effect. */
import { attemptsProgram } from '../../attempts/attempts-program.ts';
import type { AttemptsState } from '../../attempts/attempts-state.ts';
import type { NoNextAgent } from '../../attempts/choice/next-agent.ts';
import { whyNoNextAgent } from '../../attempts/choice/next-agent.ts';
import { Refusal } from '../../base/errors.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';

/** Does nothing for a run that has ended, which the engine refuses, and for a long-lived agent. */
export async function refuseWithoutNext(
  { id, program, endedAt }: Pick<RunView, 'id' | 'program' | 'endedAt'>,
  journal: Journal,
  now: number,
): Promise<void> {
  if (program !== attemptsProgram.name || endedAt !== null) return;
  const loaded = await loadRun(journal, attemptsProgram, id);
  if (loaded === undefined) return;
  const why = whyNoNextAgent(loaded.state as unknown as AttemptsState, now);
  if (why !== undefined) throw noNextAgent(id, why);
}

const WHY: Readonly<Record<NoNextAgent, string>> = {
  'not-started': 'has not started an agent yet, so there is none to skip',
  single: 'has only one agent',
  'none-left': 'has no other agent that can start now',
};

function noNextAgent(id: string, why: NoNextAgent): Refusal {
  return new Refusal({
    code: 'run.no-next-agent',
    message: `Run ${id} ${WHY[why]}. It continues as before.`,
    hint:
      why === 'not-started'
        ? `To see what it does now: supervisor status ${id}`
        : `To end it: supervisor stop ${id}. To give a run more agents: --chain claude,codex`,
  });
}
