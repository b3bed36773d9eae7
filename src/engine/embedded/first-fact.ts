/** The first fact of a run, and the state of the run at that fact. */
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { ChildInput, ParentLink } from '../../protocol/child-run.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { RequestMark, Submission } from '../../protocol/run-submission.ts';
import { runStream } from '../../protocol/streams.ts';
import { continuesFrom } from '../../protocol/views/budget-view.ts';
import { withNewCaps } from '../../protocol/views/new-caps.ts';
import type { Journal } from '../../store/journal.ts';
import { firstLedger } from '../ledger.ts';
import type { Program } from '../program.ts';
import { runNotFound } from './engine-refusals.ts';
import type { LoadedRun } from './load-run.ts';
import { forkState, loadRun } from './load-run.ts';

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

/** `changed`: the submission of that run, if this run has another one. */
type ForkPlace = { readonly run: RunId; readonly seq: number; readonly changed?: Submission };

/** A run that continues from the first `seq` facts of another run, with a submission of its own. */
export async function forkedFact(
  { journal, clock }: { readonly journal: Journal; readonly clock: Clock },
  program: Program<Json>,
  { run, seq, changed }: ForkPlace,
  submission: Submission,
  request?: RequestMark,
): Promise<FirstFact> {
  const view = await journal.run(run);
  const prefix = await loadRun(journal, program, run, seq, 1);
  if (view === undefined || prefix === undefined) throw runNotFound(run);
  const kept = continuesFrom(view, clock.now());
  const budget =
    changed === undefined ? kept : withNewCaps(kept, changed.settings, submission.settings);
  const { lastAttempt } = view;
  const more = {
    ...(lastAttempt === 0 ? {} : { lastAttempt }),
    ...(request === undefined ? {} : { request }),
  };
  const payload = { from: run, seq, submission, budget, ...more };
  const first: NewRunEvent = { type: 'run.forked', payload };
  return { first, program, folded: forkState(program, prefix, payload) };
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
