/** An open question in words, and what a person types to answer it. */
import { adviceToAnswer, namedRaise, withoutAdvice } from './answer-advice.ts';
import type { OpenQuestion } from './open-question.ts';
import { openQuestions } from './questions-of-run.ts';
import type { RunView } from './run-view.ts';

/** What a person types to answer it. */
export function adviceToQuestion(asked: OpenQuestion): string {
  const { run, over } = asked;
  const raise = over === null ? undefined : namedRaise(over);
  return adviceToAnswer(run, { ...asked, raise });
}

/** Null: neither the run nor a run below it asks. */
export function adviceToAnswerRun(view: RunView): string | null {
  const [asked] = openQuestions(view);
  return asked === undefined ? null : adviceToQuestion(asked);
}

/** The question, for a reader of `reader` who also sees the advice: a run below it is named. */
export function questionWords(reader: string, { run, part, question }: OpenQuestion): string {
  const words = withoutAdvice(question);
  return run === reader ? words : `${describePart({ run, part })}: ${words}`;
}

/** The run below another one that asks, such as `step plan, run 46f3e8087c`. */
export function describePart({ run, part }: Pick<OpenQuestion, 'run' | 'part'>): string {
  return part === null ? `run ${run}` : `${part}, run ${run}`;
}
