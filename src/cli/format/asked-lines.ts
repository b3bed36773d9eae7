/** A question on standard error, for a person or a log that reads about one run: which run asks, and what to type. */
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { adviceToQuestion, describePart } from '../../protocol/views/question-words.ts';
import { withoutAdvice } from '../../protocol/views/answer-advice.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

export function askedLines(context: CliContext, reader: string, asked: OpenQuestion): string {
  const question = printable(withoutAdvice(asked.question));
  const text = `${askerWords(reader, asked)} asks: ${question}`;
  return `${paint(context, 'yellow', text)}\n${printable(adviceToQuestion(asked))}\n`;
}

/** `Run ID`, with the part of it that asks if that is another run. */
export function askerWords(reader: string, asked: OpenQuestion): string {
  return asked.run === reader ? `Run ${reader}` : `Run ${reader} (${describePart(asked)})`;
}
