/**
 * The page that a link to one question opens, made for a phone: plain HTML without script. It shows what a person has to
 * know, and a form for the decision. Everything on it comes from agents, so all of it is escaped.
 */
import { oneLine, plural, truncate } from '../../base/text.ts';
import type { WorkDiff } from '../../protocol/api.ts';
import type { ApprovalView } from '../../protocol/views/approval-view.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { escapeHtml as text } from '../../base/escape-html.ts';
import { htmlPage } from './html-page.ts';

const TASK_CHARS_MAX = 2000;
const QUESTION_CHARS_MAX = 4000;
const FILES_MAX = 50;
const DIFF_LINES_MAX = 400;
const DIFF_CHARS_MAX = 30_000;

type OpenCommand = RunView['open'][number];

export type QuestionPage = {
  readonly path: string;
  readonly view: Pick<RunView, 'id' | 'task' | 'project'>;
  readonly open: OpenCommand;
  /** Null: there is no change to show, or it can't be shown. */
  readonly diff: Pick<WorkDiff, 'text' | 'files' | 'leftOut'> | null;
  /** Why the last decision did not count. */
  readonly problem?: string;
  readonly status?: number;
};

export function questionPage({
  path,
  view,
  open,
  diff,
  problem,
  status = 200,
}: QuestionPage): Response {
  const { id, task, project } = view;
  const { approval, question = '' } = open;
  return htmlPage({
    title: approval === undefined ? 'A run has a question' : 'Approve a change?',
    status,
    body: [
      `<h1>${approval === undefined ? 'A run has a question' : 'Approve this change?'}</h1>`,
      ...(problem === undefined ? [] : [`<p role="alert"><strong>${text(problem)}</strong></p>`]),
      '<dl>',
      ...fact('Task', truncate(task, TASK_CHARS_MAX)),
      ...fact('Project', project),
      ...fact('Run', id),
      ...(approval === undefined ? [] : approvalFacts(approval)),
      '</dl>',
      `<p>${text(truncate(question, QUESTION_CHARS_MAX))}</p>`,
      ...(approval === undefined ? answerElsewhere(id) : forms(path, approval)),
      ...(diff === null ? [] : change(id, diff)),
    ],
  });
}

function fact(name: string, value: string): readonly string[] {
  return [`<dt>${text(name)}</dt><dd>${text(oneLine(value))}</dd>`];
}

function approvalFacts(approval: ApprovalView): readonly string[] {
  const { step, files, added, deleted, needs, work, commit } = approval;
  const people = needs?.approvedBy ?? [];
  return [
    ...fact('Step', step),
    ...fact('Change', `${plural(files, 'file')}, ${added} added, ${deleted} deleted`),
    ...(needs === undefined ? [] : fact('Risk', [needs.tier, ...needs.reasons].join(': '))),
    ...(people.length === 0 ? [] : fact('Approved by', people.join(', '))),
    ...(commit === undefined ? [] : fact('Commit', oneLine(commit.message))),
    ...(work === '' ? [] : fact('Tree', work.slice(0, 12))),
  ];
}

/** An approval counts for the work that the page shows. */
function forms(path: string, { work, needs }: ApprovalView): readonly string[] {
  const needsName = needs?.tier === 'high' || needs?.tier === 'critical';
  const pinned = work === '' ? '' : `<input type="hidden" name="work" value="${text(work)}">`;
  const begin = `<form method="post" action="${text(path)}">${pinned}`;
  const name = [
    '<label>Your name as an approver <input name="as" autocomplete="username" required></label>',
    '<label>Your secret <input name="secret" type="password" autocomplete="off" required></label>',
  ];
  return [
    ...[begin, ...(needsName ? name : [])],
    '<button name="decision" value="approve">Approve</button></form>',
    ...[begin, '<label>What has to change, or why not'],
    '<textarea name="text" rows="3" maxlength="10000" required></textarea></label>',
    '<button name="decision" value="send-back">Send back</button>',
    '<button name="decision" value="reject">Reject</button></form>',
  ];
}

function answerElsewhere(run: string): readonly string[] {
  return [
    `<p>Answer it in a terminal: <code>supervisor answer ${text(run)}</code>, or in the dashboard.</p>`,
  ];
}

function change(
  run: string,
  { text: whole, files, leftOut }: NonNullable<QuestionPage['diff']>,
): readonly string[] {
  const lines = whole.slice(0, DIFF_CHARS_MAX).split('\n').slice(0, DIFF_LINES_MAX);
  const shown = lines.join('\n');
  const isCut = shown.length < whole.length || leftOut > 0;
  const names = files.slice(0, FILES_MAX).map(({ path, added, removed }) => {
    const size = added === null ? 'not text' : `+${added} −${removed ?? 0}`;
    return `<li><code>${text(oneLine(path))}</code> ${size}</li>`;
  });
  return [
    ...['<h2>The change</h2>', '<ul>', ...names, '</ul>'],
    ...(files.length > FILES_MAX ? [`<p>And ${files.length - FILES_MAX} more files.</p>`] : []),
    `<pre tabindex="0">${text(shown)}</pre>`,
    ...(isCut
      ? [`<p>This is not all of it. The rest: <code>supervisor diff ${text(run)}</code></p>`]
      : []),
  ];
}

export function decidedPage(words: string, run: string): Response {
  return htmlPage({
    title: words,
    body: [
      `<h1>${text(words)}</h1>`,
      `<p>This link shows nothing more. See the run with: <code>supervisor status ${text(run)}</code></p>`,
    ],
  });
}

export function unknownQuestion(): Response {
  return htmlPage({
    title: 'This link does not work',
    status: 401,
    body: [
      '<h1>This link does not work</h1>',
      '<p>It is more than a day old, it was ended, or it is not complete.</p>',
      '<p>See what needs you with: <code>supervisor inbox</code></p>',
    ],
  });
}

export function questionUnavailable(why: string): Response {
  return htmlPage({
    title: 'The question cannot be shown',
    status: 503,
    body: ['<h1>The question cannot be shown</h1>', `<p>${text(why)}</p>`],
  });
}
