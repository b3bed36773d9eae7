/** The message of a commit that contains the work of a run. */
import { oneLine, truncate } from '../base/text.ts';
import { acceptedTrailers } from '../protocol/words/accepted-gate.ts';
import { RUN_TRAILER } from '../protocol/run-trailer.ts';
import type { RunHistory } from './runs/run-history.ts';

const SUBJECT_CHARS_MAX = 72;
const BODY_CHARS_MAX = 4000;

/**
 * The first line of the task, or the given one; then the rest of the task if the line does not hold all of it, what the
 * agent reports, and the run. Text of an agent is never in the last paragraph, so it cannot pass for a trailer.
 */
export function commitMessage(
  { id, task, attempts, accepted }: Pick<RunHistory, 'id' | 'task' | 'attempts' | 'accepted'>,
  firstLine?: string,
): string {
  const asked = plain(task);
  const [line = ''] = asked.split('\n', 1);
  const subject = truncate(
    oneLine(plain(firstLine ?? line)),
    firstLine === undefined ? SUBJECT_CHARS_MAX : BODY_CHARS_MAX,
  );
  const summary = plain(attempts.findLast((one) => one.summary !== null)?.summary ?? '');
  const parts = [
    subject === '' ? `The work of run ${id}` : subject,
    ...(firstLine === undefined && subject === asked
      ? []
      : [`Task: ${truncate(asked, BODY_CHARS_MAX)}`]),
    ...(summary === '' || summary === asked ? [] : [truncate(summary, BODY_CHARS_MAX)]),
    [`${RUN_TRAILER}: ${id}`, ...acceptedTrailers(accepted).map(plain)].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Without control characters, which a terminal would obey when the log is shown. */
function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- removing control characters is the point
  return text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '').trim();
}
