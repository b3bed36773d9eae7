/** Streams the open questions of a run and of the runs below it: all of them at first, and again after each change. */
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { CHILD_DEPTH_MAX } from '../../protocol/child-run.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import { runOfStream, runStream } from '../../protocol/streams.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { mayAskBelow } from '../../protocol/views/may-ask-below.ts';
import { openQuestions } from '../../protocol/views/questions-of-run.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { followEvents } from '../../store/follow.ts';
import type { Journal } from '../../store/journal.ts';

export type QuestionSource = {
  readonly journal: Pick<Journal, 'lastId' | 'readAll' | 'readStream' | 'onCommit' | 'run'>;
  /** The run as it is now, with the questions below it. It looks at all open runs. */
  readonly view: () => Promise<RunView>;
};

/** Ends with the run. */
export async function* followQuestions(
  { journal, view }: QuestionSource,
  signal: AbortSignal,
): AsyncGenerator<readonly OpenQuestion[], void> {
  const lastId = await journal.lastId(); // before the first look, so that no change is missed
  let found = await view();
  let told = openQuestions(found);
  yield told;
  if (found.outcome !== null) return;
  const { id, seq } = found;
  const from = mayAskBelow(found) ? { after: lastId } : { after: seq, stream: runStream(id) };
  for await (const event of followEvents(journal, from, signal)) {
    if (!mayChangeQuestions(event) || !(await isOfOrBelow(journal, event, id))) continue;
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

/** Whether a fact is one of this run or of a run below it. A long-lived agent asks for itself. */
async function isOfOrBelow(
  journal: Pick<Journal, 'run'>,
  { stream }: StoredEvent,
  root: string,
): Promise<boolean> {
  let run = runOfStream(stream);
  for (let level = 0; run !== undefined && level <= CHILD_DEPTH_MAX; level += 1) {
    if (run === root) return true;
    const view = await journal.run(run);
    run =
      view === undefined || view.program === AGENT_PROGRAM ? undefined : (view.parent ?? undefined);
  }
  return false;
}

function idsOf(questions: readonly OpenQuestion[]): string {
  return questions.map(({ run, key }) => `${run}/${key}`).join(' ');
}
