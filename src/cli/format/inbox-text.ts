/** The text of `inbox`: for each question its project and task, what is asked, and what to type. */
import { formatDuration } from '../../base/format-duration.ts';
import { oneLine, truncate } from '../../base/text.ts';
import type { OpenQuestion } from '../../protocol/views/open-question.ts';
import { withoutAdvice } from '../../protocol/views/answer-advice.ts';
import { adviceToQuestion } from '../../protocol/views/question-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';

const TASK_CHARS_MAX = 60;

export function formatInbox(context: CliContext, questions: readonly OpenQuestion[]): string {
  if (questions.length === 0)
    return 'No open questions. To see how your runs went: supervisor status\n';
  return questions.map((one) => entry(context, one)).join('');
}

function entry(context: CliContext, asked: OpenQuestion): string {
  const { run, root, part, project, task, since, question } = asked;
  const where = printable(project.split('/').at(-1) ?? '');
  const what = truncate(oneLine(printable(`${where}: ${task}`)), TASK_CHARS_MAX);
  const age = `open for ${formatDuration(context.clock.now() - since)}`;
  const of = run === root ? '' : `${part ?? 'part'} of run ${root}, `;
  const advice = printable(adviceToQuestion(asked));
  const arrow = paint(context, 'dim', '→');
  return [
    `${paint(context, 'cyan', run)}  ${what}  ${paint(context, 'dim', `${of}${age}`)}\n`,
    `    ${printable(withoutAdvice(question)).replaceAll('\n', '\n    ')}\n`,
    `    ${arrow} ${advice}\n`,
  ].join('');
}
