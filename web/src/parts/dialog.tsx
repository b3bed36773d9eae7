/** Asks before something is done: what, with which words, and by which command. */
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useSending } from './action.tsx';

export type Question = {
  readonly title: string;
  readonly command: (text: string) => string;
  /** What the person writes. Absent: nothing. */
  readonly asks?: string;
  readonly isOptional?: boolean;
  /** What the person should know first. */
  readonly note?: string;
  readonly confirm: string;
  readonly isDangerous?: boolean;
  readonly does: (text: string) => Promise<unknown>;
};

export function Dialog({
  question,
  onClose,
}: {
  readonly question: Question;
  readonly onClose: () => void;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const { isSending, problem, send } = useSending();
  useEffect(() => dialog.current?.showModal(), []);
  const {
    note,
    title,
    asks,
    confirm,
    command,
    does,
    isDangerous = false,
    isOptional = false,
  } = question;
  const isMissing = asks !== undefined && !isOptional && text.trim() === '';
  const submit = async (): Promise<void> => {
    if (!isMissing && !isSending && (await send(() => does(text.trim())))) onClose();
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="dialog-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h2 id="dialog-title">{title}</h2>
        {asks === undefined ? null : (
          <label>
            {asks}
            <textarea
              rows={4}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit();
              }}
            />
          </label>
        )}
        {note === undefined ? null : <p>{note}</p>}
        <code className="command">$ {command(text.trim())}</code>
        {problem === null ? null : (
          <p role="alert" className="problem">
            {problem}
          </p>
        )}
        <div className="row end">
          <button type="button" className="action plain" onClick={onClose}>
            Cancel
          </button>
          <button
            className={`action ${isDangerous ? 'danger' : 'main'}`}
            disabled={isMissing || isSending}
          >
            {confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
