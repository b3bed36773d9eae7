/**
 * The open questions of a run are its own, and those of all runs below it: a person answers for the run that they started.
 */
import { defined } from '../../base/defined.ts';
import type { OpenQuestion } from './open-question.ts';
import type { RunView } from './run-view.ts';

/** Its own questions. `root` and `part`: of the run, if it is not the one that a person started. */
export function ownQuestions(
  { id, task, project, open, budget, parent }: RunView,
  root: string = id,
  part: string | null = null,
): readonly OpenQuestion[] {
  return open.flatMap(({ key, command, begunAt, question = '', choices = [], ...rest }) => {
    if (command !== 'ask') return [];
    const { about, approval, editable } = rest;
    const over = budget.over?.question === key ? budget.over : null;
    const asked = { run: id, key, task, project, question, choices, since: begunAt, over };
    return [{ ...asked, ...defined({ about, approval, editable }), parent, root, part }];
  });
}

/** Its own first. */
export function openQuestions(view: RunView): readonly OpenQuestion[] {
  return [...ownQuestions(view), ...(view.asksBelow ?? [])];
}
