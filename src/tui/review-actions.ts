/** The decisions about a change, as on every other screen: they count for exactly the work that is shown. */
import type { DiffFile, DiffLine } from '../base/parse-diff.ts';
import { plural } from '../base/text.ts';
import { shellWord } from '../base/shell-words.ts';
import type { DecideRequest } from '../protocol/views/approval-view.ts';
import { feedbackText, withComment } from '../protocol/words/line-comments.ts';
import type { Action } from './action.ts';
import { asking, sending, step, textCommand } from './action.ts';
import type { ReviewScreen, KeyStep, TopState } from './top-state.ts';
import { replaced, rowOf } from './top-state.ts';

export function fileOf({ change }: TopState, screen: ReviewScreen): DiffFile | undefined {
  return change?.run === screen.run ? change.files[screen.file] : undefined;
}

/** The lines of a file, with the headings of its hunks between them. */
export function linesOf(
  file: DiffFile | undefined,
): readonly (DiffLine | { readonly kind: 'hunk'; readonly text: string })[] {
  return (file?.hunks ?? []).flatMap(({ header, lines }) => [
    { kind: 'hunk' as const, text: header },
    ...lines,
  ]);
}

export function reviewActions(state: TopState, screen: ReviewScreen): readonly Action[] {
  const { run } = screen;
  const change = state.change?.run === run ? state.change : null;
  const approval = change?.approval;
  const over = rowOf(state, run)?.view.outcome !== null;
  const undecided =
    change === null
      ? 'the change is not there yet'
      : approval === undefined
        ? over
          ? 'the run has ended'
          : 'this run asks for no approval'
        : undefined;
  const file = fileOf(state, screen);
  const at = linesOf(file)[screen.line];
  const place = at === undefined || at.kind === 'hunk' ? null : at.after;
  const pinned = approval === undefined || approval.work === '' ? {} : { work: approval.work };
  const tree =
    approval === undefined || approval.work === '' ? '' : ` --tree ${approval.work.slice(0, 12)}`;
  const decide = (now: TopState, request: DecideRequest, command: string): KeyStep =>
    sending(now, {
      kind: 'decide',
      run,
      request: { ...request, ...pinned, channel: 'terminal' },
      command,
    });
  const isNamed = approval?.needs?.tier === 'high' || approval?.needs?.tier === 'critical';
  const moveFile =
    (by: number) =>
    (now: TopState): KeyStep =>
      step(
        replaced(now, {
          ...screen,
          file: clamp(screen.file + by, (change?.files.length ?? 1) - 1),
          line: 0,
        }),
      );
  return [
    {
      ...{
        key: 'c',
        does: 'comment on the line',
        command: `supervisor comment ${run} --file … --line …`,
      },
      disabled: undecided ?? (place === null ? 'select a line that is in the new file' : undefined),
      run: (now) => {
        const old =
          now.comments.find((one) => one.file === file?.path && one.line === place)?.text ?? '';
        const comment = (text: string) => ({ file: file?.path ?? '', line: place ?? 0, text });
        return asking(now, {
          ...{ title: `${file?.path ?? ''}:${place ?? 0}`, value: old, isOptional: true },
          command: (text) =>
            `supervisor comment ${run} --file ${shellWord(file?.path ?? '')} --line ${place ?? 0} ${shellWord(text || '…')}`,
          send: (then, text) =>
            step({ ...then, comments: withComment(then.comments, comment(text)), prompt: null }),
        });
      },
    },
    {
      ...{ key: 'a', does: isNamed ? 'approve, as an approver' : 'approve', disabled: undecided },
      command: `supervisor approve ${run}${isNamed ? ' --as NAME' : ''}${tree}`,
      run: (now) =>
        isNamed
          ? askApprover(now, run, tree, decide)
          : asking(now, {
              ...{
                title: 'Approve exactly this change?',
                form: 'confirm',
                command: () => `supervisor approve ${run}${tree}`,
              },
              send: (then) =>
                decide(then, { decision: 'approve' }, `supervisor approve ${run}${tree}`),
            }),
    },
    {
      ...{
        key: 'b',
        does: 'send it back',
        disabled: undecided,
        command: `supervisor comment ${run} …`,
      },
      run: (now) => {
        const text = (more: string): string => feedbackText(now.comments, more);
        const command = (more: string): string => textCommand('comment', run, text(more));
        return asking(now, {
          ...{
            title:
              now.comments.length === 0
                ? 'What has to change?'
                : `Besides your comments on ${plural(now.comments.length, 'line')}`,
            command,
          },
          isOptional: now.comments.length > 0,
          send: (then, more) =>
            decide(
              { ...then, comments: [] },
              { decision: 'send-back', text: text(more) },
              command(more),
            ),
        });
      },
    },
    {
      ...{ key: 'x', does: 'reject', disabled: undecided, command: `supervisor reject ${run} …` },
      run: (now) =>
        asking(now, {
          title: 'Why is it rejected?',
          command: (text) => textCommand('reject', run, text),
          send: (then, text) =>
            decide(then, { decision: 'reject', text }, textCommand('reject', run, text)),
        }),
    },
    {
      key: ']',
      does: 'next file',
      disabled: (change?.files.length ?? 0) > screen.file + 1 ? undefined : 'this is the last file',
      run: moveFile(1),
    },
    {
      key: '[',
      does: 'file before',
      disabled: screen.file > 0 ? undefined : 'this is the first file',
      run: moveFile(-1),
    },
  ];
}

type Decide = (now: TopState, request: DecideRequest, command: string) => KeyStep;

/** The name first, then the secret, which is never shown and in no command. */
function askApprover(state: TopState, run: string, tree: string, decide: Decide): KeyStep {
  const command = (name: string): string =>
    `supervisor approve ${run} --as ${shellWord(name || 'NAME')}${tree}`;
  return asking(state, {
    ...{ title: 'The approver who decides', command },
    send: (now, name) =>
      asking(now, {
        ...{ title: `The secret of ${name}`, form: 'secret', command: () => command(name) },
        send: (then, secret) =>
          decide(then, { decision: 'approve', as: name.trim(), secret }, command(name)),
      }),
  });
}

export function clamp(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}
