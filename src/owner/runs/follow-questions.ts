/** Streams the open questions of a run and of the runs below it: all of them at first, and again after each change. */
import type { StoredEvent } from '../../protocol/event.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { openQuestions } from '../../protocol/views/questions-of-run.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { followEvents } from '../../store/follow.ts';
import type { Journal } from '../../store/journal.ts';

export type QuestionSource = {
  readonly journal: Pick<Journal, 'lastId' | 'readAll' | 'readStream' | 'onCommit'>;
  /** The run as it is now, with the questions below it. */
  readonly view: () => Promise<RunView>;
};

/** Ends with the run. */
export async function* followQuestions(
  { journal, view }: QuestionSource,
  signal: AbortSignal,
): AsyncGenerator<readonly OpenQuestion[], void> {
  const after = await journal.lastId(); // before the first look, so that no change is missed
  let found = await view();
  let told = openQuestions(found);
  yield told;
  if (found.outcome !== null) return;
  for await (const event of followEvents(journal, { after }, signal)) {
    if (!mayChangeQuestions(event)) continue;
    found = await view();
    const now = openQuestions(found);
    if (idsOf(now) !== idsOf(told)) yield now;
    told = now;
    if (found.outcome !== null) return;
  }
}

function mayChangeQuestions({ type, payload }: StoredEvent): boolean {
  if (type === 'command.begun' || type === 'command.ended') return payload.command === 'ask';
  return type === 'run.ended';
}

function idsOf(questions: readonly OpenQuestion[]): string {
  return questions.map(({ run, key }) => `${run}/${key}`).join(' ');
}
