/** The three decisions about a change. An approval counts for exactly the work that is shown. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { shellWord } from '../../../src/base/shell-words.ts';
import type { ApprovalView } from '../../../src/protocol/views/approval-view.ts';
import { post } from '../connection/api.ts';
import { Action, useSending } from '../parts/action.tsx';
import { Dialog } from '../parts/dialog.tsx';
import type { Question } from '../parts/dialog.tsx';
import { useKeys } from '../parts/keys.ts';
import type { LineComment } from '../../../src/protocol/words/line-comments.ts';
import { feedbackText } from '../../../src/protocol/words/line-comments.ts';

type DecideProps = {
  readonly run: string;
  readonly approval: ApprovalView;
  readonly comments: readonly LineComment[];
  /** Why it can't be approved yet. */
  readonly unseen: string | undefined;
  readonly onSent: () => void;
};

export function Decide({ run, approval, comments, unseen, onSent }: DecideProps): ReactNode {
  const [question, setQuestion] = useState<Question | null>(null);
  const [as, setAs] = useState('');
  const [secret, setSecret] = useState('');
  const { isSending, problem, send } = useSending();
  const { work, needs } = approval;
  const needsName = needs !== undefined && (needs.tier === 'high' || needs.tier === 'critical');
  const pinned = work === '' ? {} : { work };
  const decide = async (body: object): Promise<void> => {
    await post(`/v1/runs/${run}/decision`, { ...body, ...pinned });
    onSent();
  };
  const isUnnamed = needsName && (as.trim() === '' || secret === '');
  const approve = (): void => {
    const named = as.trim() === '' ? {} : { as: as.trim(), secret };
    void send(() => decide({ decision: 'approve', ...named })).finally(() => setSecret(''));
  };
  const sendBack = (): void =>
    setQuestion({
      ...{
        title: 'Send it back to the agent',
        confirm: 'Send back',
        isOptional: comments.length > 0,
      },
      asks:
        comments.length === 0
          ? 'What has to change?'
          : `Besides your ${comments.length} comments on lines (optional)`,
      command: (text) =>
        `supervisor comment ${run} ${shellWord(feedbackText(comments, text) || '…')}`,
      does: (text) => decide({ decision: 'send-back', text: feedbackText(comments, text) }),
    });
  const reject = (): void =>
    setQuestion({
      ...{ title: 'Reject this change?', asks: 'Why?', confirm: 'Reject', isDangerous: true },
      command: (text) => `supervisor reject ${run} ${shellWord(text || '…')}`,
      does: (text) => decide({ decision: 'reject', text }),
    });
  const edit = (): void =>
    setQuestion({
      ...{ title: 'Change the work yourself', confirm: 'My files are the new work' },
      command: () => `supervisor edit ${run}`,
      note: 'The command prints a folder on the machine of the owner. Change the files there. Then take them as the new work: the gates run again, and you are asked again.',
      does: () => decide({ decision: 'edit' }),
    });
  const tree = work === '' ? '' : ` --tree ${work.slice(0, 12)}`;
  const approveCommand = `supervisor approve ${run}${as.trim() === '' ? '' : ` --as ${shellWord(as.trim())}`}${tree}`;
  const busy = isSending ? 'a decision is on its way' : undefined;
  const unnamed = isUnnamed ? 'it needs the name and the secret of an approver' : undefined;
  useKeys('Decide', [
    { key: 'a', does: 'approve', disabled: busy ?? unseen ?? unnamed, run: approve },
    { key: 'b', does: 'send back', disabled: busy, run: sendBack },
    { key: 'x', does: 'reject', disabled: busy, run: reject },
    { key: 'e', does: 'change the work yourself', disabled: busy, run: edit },
  ]);
  return (
    <section className="decide" aria-label="Decide">
      {needsName ? (
        <div className="row">
          <label>
            Approver
            <input
              value={as}
              autoComplete="username"
              onChange={(event) => setAs(event.target.value)}
            />
          </label>
          <label>
            Secret
            <input
              type="password"
              value={secret}
              autoComplete="off"
              onChange={(event) => setSecret(event.target.value)}
            />
          </label>
          <span className="note">
            {needs.peopleMin > 1
              ? `${needs.approvedBy.length} of ${needs.peopleMin} people have approved. `
              : ''}
            {needs.approvers.length > 0 ? `Allowed: ${needs.approvers.join(', ')}.` : ''}
          </span>
        </div>
      ) : null}
      <div className="row">
        <Action
          label={
            comments.length === 0
              ? 'Send back…'
              : `Send back with ${comments.length} ${comments.length === 1 ? 'comment' : 'comments'}…`
          }
          command={`supervisor comment ${run} …`}
          disabled={busy}
          onPress={sendBack}
        />
        <Action
          label="Reject…"
          look="danger"
          command={`supervisor reject ${run} …`}
          disabled={busy}
          onPress={reject}
        />
        <Action label="Edit…" command={`supervisor edit ${run}`} disabled={busy} onPress={edit} />
        <Action
          label={as.trim() === '' ? 'Approve' : `Approve as ${as.trim()}`}
          look="main"
          command={approveCommand}
          disabled={busy ?? unseen ?? unnamed}
          onPress={approve}
        />
        <code className="note">$ {approveCommand}</code>
      </div>
      {problem === null ? null : (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      {question === null ? null : <Dialog question={question} onClose={() => setQuestion(null)} />}
    </section>
  );
}
