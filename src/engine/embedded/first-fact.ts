/** The first fact of a run, and the state of the run at that fact. */
import type { Clock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { ChildInput, ParentLink } from '../../protocol/child-run.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { RequestMark, Submission } from '../../protocol/run-submission.ts';
import { runStream } from '../../protocol/streams.ts';
import { continuesFrom } from '../../protocol/views/budget-view.ts';
import { withNewCaps } from '../../protocol/views/new-caps.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView } from '../../protocol/views/run-view.ts';
import type { WorkflowView } from '../../protocol/views/workflow-view.ts';
import type { Journal } from '../../store/journal.ts';
import { firstLedger } from '../ledger.ts';
import type { Program } from '../program.ts';
import { runNotFound } from './engine-refusals.ts';
import type { LoadedRun } from './load-run.ts';
import { forkState, loadRun, readRun } from './load-run.ts';

export type FirstFact = {
  readonly first: NewRunEvent;
  readonly program: Program<Json>;
  readonly folded: LoadedRun;
};

/** Throws if the program rejects the submission, before anything is written. */
export function submittedFact(program: Program<Json>, submission: Submission): FirstFact {
  const state = program.start(submission);
  const first: NewRunEvent = { type: 'run.submitted', payload: submission };
  return { first, program, folded: { state, ledger: firstLedger(submission), seq: 1 } };
}

type ForkPlace = {
  readonly run: RunId;
  readonly seq: number;
  /** The submission of that run, if this run has another one. */
  readonly changed?: Submission;
  /** Whose spending counts. Absent: that of the run. */
  readonly spentBy?: RunId;
  readonly alsoSpentBy?: readonly RunId[];
};

/** A run that continues from the first `seq` facts of another run, with a submission of its own. */
export async function forkedFact(
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  program: Program<Json>,
  { run, seq, changed, spentBy = run, alsoSpentBy = [] }: ForkPlace,
  submission: Submission,
  request?: RequestMark,
): Promise<FirstFact> {
  const view = await journal.run(run);
  const prefix = await loadRun(journal, program, run, seq, 1);
  if (view === undefined || prefix === undefined) throw runNotFound(run);
  const spender = spentBy === run ? view : await journal.run(spentBy);
  if (spender === undefined) throw runNotFound(spentBy);
  const others = await Promise.all(alsoSpentBy.map((other) => journal.run(other)));
  const kept = continuesFrom(
    spender,
    clock.now(),
    others.filter((other) => other !== undefined),
  );
  const budget =
    changed === undefined ? kept : withNewCaps(kept, changed.settings, submission.settings);
  const { lastAttempt } = view;
  const workflow = view.workflow === null ? undefined : await workflowAt(journal, run, seq);
  const more = {
    ...(lastAttempt === 0 ? {} : { lastAttempt }),
    ...defined({ workflow, request }),
  };
  const payload = { from: run, seq, submission, budget, ...more };
  const first: NewRunEvent = { type: 'run.forked', payload };
  return { first, program, folded: forkState(program, prefix, payload) };
}

/** How far the steps of a workflow were after the first `seq` facts of its run. */
async function workflowAt(
  journal: Journal,
  run: RunId,
  seq: number,
): Promise<WorkflowView | undefined> {
  let view: RunView | undefined;
  for await (const event of readRun(journal, run)) {
    if (event.seq > seq) break;
    view = foldRunView(view, event);
  }
  return view?.workflow ?? undefined;
}

/** The first fact of a run that another run starts. */
export async function childFact(
  ports: { readonly journal: Journal; readonly clock: Clock },
  program: Program<Json>,
  { submission, from }: ChildInput,
  parent: ParentLink,
): Promise<FirstFact> {
  const linked = { ...submission, parent };
  if (from === undefined) return submittedFact(program, linked);
  return forkedFact(ports, program, { run: from.run as RunId, seq: from.seq }, linked);
}

/** The submission of a run. Undefined: there is no such run. */
export async function readSubmission(
  journal: Journal,
  run: RunId,
): Promise<Submission | undefined> {
  const [first] = await journal.readStream(runStream(run), { after: 0, limit: 1 });
  if (first?.type === 'run.submitted') return first.payload;
  return first?.type === 'run.forked' ? first.payload.submission : undefined;
}
