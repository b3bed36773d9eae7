/** Chooses the run that `resume` means if none is named: the newest one of the project that does not continue by itself. */
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { PAST_DEADLINE, endedBadly } from '../../protocol/outcome.ts';
import { continuations } from '../../protocol/views/continuations.ts';
import { runStatus } from '../../protocol/views/run-status.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

export type ResumeChoice =
  | { readonly kind: 'run'; readonly id: string; readonly why: string }
  | { readonly kind: 'none'; readonly why: string };

/** `views`: the runs of the project, newest first. */
export function chooseResumable(views: readonly RunView[]): ResumeChoice {
  const resumed = continuations(views);
  const runs = views.filter(({ program }) => program !== AGENT_PROGRAM);
  for (const view of runs) {
    const why = resumed.has(view.id) ? null : whyResumable(view);
    if (why !== null) return { kind: 'run', id: view.id, why };
  }
  const [last] = runs;
  if (last === undefined) return { kind: 'none', why: 'nothing has run in this project yet' };
  const state = runStatus(last);
  return {
    kind: 'none',
    why:
      last.outcome === null
        ? `the last one, ${last.id}, is ${state} and continues by itself`
        : `the last one, ${last.id}, has ended (${state})`,
  };
}

export type Resumable = {
  readonly id: string;
  readonly project: string;
  readonly why: string;
  readonly task: string;
  /** It waits for a key. Its task and its limits cannot be changed. */
  readonly isActive: boolean;
  /** It ran past its deadline, and would again with the same one. */
  readonly isLate: boolean;
};

/**
 * The runs that wait for a key, or that something outside of their work has ended, oldest first: a limit, a login, a
 * network, this machine. A red gate, a block or a stop of a person is a reason to look at the run first.
 */
export function allResumable(views: readonly RunView[]): readonly Resumable[] {
  const resumed = continuations(views);
  return views
    .filter((view) => view.program !== AGENT_PROGRAM && !resumed.has(view.id) && isOutside(view))
    .flatMap((view) => {
      const why = whyResumable(view);
      return why === null ? [] : [{ ...resumable(view), why }];
    })
    .toReversed();
}

function resumable(view: RunView): Omit<Resumable, 'why'> {
  const { id, project, task, outcome } = view;
  return { id, project, task, isActive: outcome === null, isLate: wasLate(view) };
}

export function wasLate({ outcome }: RunView): boolean {
  return outcome?.reason.includes(PAST_DEADLINE) === true;
}

function isOutside({ outcome, gate }: RunView): boolean {
  if (outcome === null) return true;
  const isRed = gate?.verdict === 'failed' || gate?.verdict === 'unable';
  return !isRed && OUTSIDE.has(outcome.kind);
}

const OUTSIDE: ReadonlySet<string> = new Set(['failed', 'exhausted', 'refused']);

/** Null: it continues by itself, or its work is done. */
function whyResumable({ outcome, open }: RunView): string | null {
  if (outcome !== null)
    return endedBadly(outcome) ? `it ended as ${outcome.kind}: ${outcome.reason}` : null;
  const asked = open.find(({ about }) => about === 'keys');
  return asked === undefined ? null : `it waits for a key: ${asked.question ?? ''}`;
}
