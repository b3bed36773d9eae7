/** What a person types so that a run that asks something continues. */
import type { RunView } from './run-view.ts';

export type AskedQuestion = {
  /** The valid answers. Empty: any text is valid. */
  readonly choices?: readonly string[] | undefined;
  /** The run lacks a key. */
  readonly about?: 'keys' | undefined;
};

export function adviceToAnswer(run: string, { choices = [], about }: AskedQuestion): string {
  if (about === 'keys') return `From a shell that has the key, run: supervisor resume ${run}`;
  const answers = choices.length === 0 ? '"…"' : choices.join(' | ');
  return `Answer the question with: supervisor answer ${run} ${answers}`;
}

/** Null: the run asks nothing. */
export function adviceToAnswerRun({ id, open }: Pick<RunView, 'id' | 'open'>): string | null {
  const asked = open.find(({ command }) => command === 'ask');
  return asked === undefined ? null : adviceToAnswer(id, asked);
}
