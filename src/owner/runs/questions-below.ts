/** A question of a run that another run started is a question of that run too: a person started only the root. */
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { CHILD_DEPTH_MAX } from '../../protocol/child-run.ts';
import { FEATURE_PROGRAM } from '../../protocol/feature.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { ownQuestions } from '../../protocol/views/questions-of-run.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

/** More open runs than a home has. A look that finds fewer than all of them loses questions. */
export const OPEN_RUNS_MAX = 10_000;

/** All open questions of these runs, oldest first. `active` are all open runs. */
export function questionsOf(active: readonly RunView[]): readonly OpenQuestion[] {
  const known = byId(active);
  return active.flatMap((view) => asked(view, known)).toSorted((a, b) => a.since - b.since);
}

/** The views, each with the questions of the runs below it. */
export function withQuestionsBelow(
  views: readonly RunView[],
  active: readonly RunView[],
): readonly RunView[] {
  const known = byId(active);
  const below = new Map<string, OpenQuestion[]>();
  for (const question of questionsOf(active))
    for (const { id } of runsAbove(known.get(question.run), known))
      below.set(id, [...(below.get(id) ?? []), question]);
  return views.map((view) => {
    const asksBelow = view.outcome === null ? below.get(view.id) : undefined;
    return asksBelow === undefined ? view : { ...view, asksBelow };
  });
}

function byId(views: readonly RunView[]): ReadonlyMap<string, RunView> {
  return new Map(views.map((view) => [view.id, view]));
}

function asked(view: RunView, known: ReadonlyMap<string, RunView>): readonly OpenQuestion[] {
  if (!view.open.some(({ command }) => command === 'ask')) return [];
  const above = runsAbove(view, known);
  const parts = [view, ...above].flatMap(({ id }, level) => partOf(above[level], id) ?? []);
  return ownQuestions(view, above.at(-1)?.id, parts.toReversed().join(', ') || null);
}

/** From its parent to the run that a person started. A long-lived agent asks for itself. */
function runsAbove(
  view: RunView | undefined,
  known: ReadonlyMap<string, RunView>,
): readonly RunView[] {
  const above: RunView[] = [];
  for (let run = view; run !== undefined && run.program !== AGENT_PROGRAM;) {
    const parent = run.parent === null ? undefined : known.get(run.parent);
    if (parent === undefined || above.length === CHILD_DEPTH_MAX) break;
    above.push(parent);
    run = parent;
  }
  return above;
}

/** What a run does of the run that started it. Undefined: that run has no parts. */
function partOf(parent: RunView | undefined, child: string): string | undefined {
  const step = parent?.workflow?.steps.find(({ runs }) => runs.some(({ run }) => run === child));
  if (step !== undefined) return `step ${step.id}`;
  if (parent?.program !== FEATURE_PROGRAM) return undefined;
  const key = parent.open.find(({ run }) => run === child)?.key;
  const [, component] = /^run-(.+)-\d+/.exec(key ?? '') ?? [];
  return component === undefined ? undefined : `component ${component}`;
}
