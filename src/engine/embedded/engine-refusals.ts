/** The refusals of the engine. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';

export function runNotFound(run: RunId): Refusal {
  return new Refusal({
    code: 'run.not-found',
    message: `There is no run ${run}.`,
    hint: 'List the runs with: supervisor status --all',
  });
}

export function runAlreadyEnded(run: RunId): Refusal {
  return new Refusal({
    code: 'run.already-ended',
    message: `Run ${run} has already ended.`,
    hint: `See how it ended with: supervisor status ${run}`,
  });
}

export function noOpenQuestion(run: RunId, key: string): Refusal {
  return new Refusal({
    code: 'run.asks-nothing',
    message: `Run ${run} has no open question ${JSON.stringify(key)}.`,
    hint: `See what it waits for with: supervisor status ${run}`,
  });
}

export function pausedByParent(run: RunId): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${run} is paused because the run that started it is paused.`,
    hint: `See that run with: supervisor status ${run}`,
  });
}

export function engineClosed(): Refusal {
  return new Refusal({
    code: 'store.closed',
    message: 'The owner is closing down; nothing was written.',
    hint: 'Try again in a moment.',
  });
}

/** Not a refusal: the request is valid, and a defect of Supervisor prevents it. */
export function runHalted(run: RunId): Error {
  return new Error(`run ${run} is halted by a defect of Supervisor; nothing was written`);
}
