/** Reads the checkpoints of a workflow, and finds the one that a person names. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { plural } from '../../base/text.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type { CheckpointView } from '../../protocol/views/checkpoint-view.ts';
import { checkpointName } from '../../protocol/views/checkpoint-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import type { CheckpointFold } from '../../workflow/fold-checkpoints.ts';
import { firstCheckpoint, foldCheckpoints } from '../../workflow/fold-checkpoints.ts';
import { nearest } from '../../yaml/nearest.ts';
import { readHistoryOfRun } from '../run-reader.ts';

/** The same bound as in the engine. No user forks a hundred times on purpose. */
const FORK_DEPTH_MAX = 100;

/** Oldest first, with those of the runs that it continues. Refuses a run that is no workflow. */
export async function checkpointsOf(
  journal: Journal,
  view: RunView,
): Promise<readonly CheckpointView[]> {
  if (view.program !== WORKFLOW_PROGRAM) throw noWorkflow(view);
  let fold: CheckpointFold | undefined;
  for await (const [run, event] of readWholeHistory(journal, view.id as RunId)) {
    if (fold !== undefined) fold = foldCheckpoints(fold, run, event);
    else if (event.type === 'run.submitted' && event.payload.program === WORKFLOW_PROGRAM)
      fold = firstCheckpoint(event.payload, run, event.at);
  }
  return fold?.checkpoints ?? [];
}

/** The facts from the first submission on, each with the run to which it belongs. */
async function* readWholeHistory(
  journal: Journal,
  run: RunId,
  upTo = Infinity,
  depth = 0,
): AsyncGenerator<readonly [RunId, RunEvent], void> {
  if (depth > FORK_DEPTH_MAX) throw new RangeError(`run ${run} is forked too deep`);
  for await (const event of readHistoryOfRun(journal, run)) {
    if (event.seq > upTo) return;
    if (event.type === 'run.forked')
      yield* readWholeHistory(journal, event.payload.from as RunId, event.payload.seq, depth + 1);
    yield [run, event];
  }
}

/** `name`: `implement` is its last visit, and `implement#2` its second one. Refuses a name without a checkpoint. */
export function findCheckpoint(
  { id, workflow }: Pick<RunView, 'id' | 'workflow'>,
  checkpoints: readonly CheckpointView[],
  name: string,
): CheckpointView {
  const { step, visit } = readName(name);
  const visits = checkpoints.filter((one) => one.step === step);
  const found = visit === undefined ? visits.at(-1) : visits.find((one) => one.visit === visit);
  if (found !== undefined) return found;
  const steps = workflow?.steps.map((one) => one.id) ?? [];
  if (!steps.includes(step)) throw unknownStep(id, step, steps);
  throw new Refusal({
    code: 'step.not-found',
    message:
      visits.length === 0
        ? `Step ${step} of run ${id} has not begun, so nothing can continue from it.`
        : `Step ${step} of run ${id} has begun ${plural(visits.length, 'time')}, so it has no visit ${visit}.`,
    hint: `Use one of: ${checkpoints.map(checkpointName).join(', ')}`,
  });
}

function readName(name: string): { readonly step: string; readonly visit: number | undefined } {
  const [, step = name, number] = /^(.+)#(\d{1,6})$/.exec(name.trim()) ?? [];
  return { step: step.trim(), visit: number === undefined ? undefined : Number(number) };
}

function unknownStep(id: string, step: string, steps: readonly string[]): Refusal {
  const close = nearest(step, steps);
  return new Refusal({
    code: 'step.not-found',
    message: `The workflow of run ${id} has no step ${JSON.stringify(step)}.`,
    hint: close === undefined ? `Its steps are: ${steps.join(', ')}` : `Did you mean ${close}?`,
  });
}

function noWorkflow({ id }: RunView): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `Run ${id} follows no workflow, so it has no steps to continue from.`,
    hint: `Continue a run that has ended badly with: supervisor resume ${id}`,
  });
}
