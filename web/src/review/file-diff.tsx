/** One file of a change, with a cursor on its lines and comments below them. */
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useKeys } from '../parts/keys.ts';
import { visible } from '../parts/words.ts';
import type { LineComment } from '../../../src/protocol/words/line-comments.ts';
import type { DiffFile, DiffLine } from '../../../src/base/parse-diff.ts';

/** More lines at once make a page slow. */
const LINES_SHOWN = 1500;

type FileProps = {
  readonly file: DiffFile;
  readonly comments: readonly LineComment[];
  readonly canComment: boolean;
  readonly onComment: (line: number, text: string) => void;
};

type Row = { readonly hunk: number; readonly line: DiffLine };

export function FileDiff({ file, comments, canComment, onComment }: FileProps): ReactNode {
  const [shown, setShown] = useState(LINES_SHOWN);
  const [cursor, setCursor] = useState(0);
  const [writing, setWriting] = useState<number | null>(null);
  const rows: readonly Row[] = file.hunks.flatMap(({ lines }, hunk) =>
    lines.map((line) => ({ hunk, line })),
  );
  const move = (to: number): void =>
    setCursor(Math.min(Math.max(to, 0), Math.max(rows.length - 1, 0)));
  const hunkAt = rows[cursor]?.hunk ?? 0;
  const number = lineNumber(rows[cursor]?.line);
  const noComment = canComment ? undefined : 'the change waits for no decision';
  useKeys('File', [
    { key: 'ArrowDown', does: 'next line', run: () => move(cursor + 1) },
    { key: 'ArrowUp', does: 'previous line', run: () => move(cursor - 1) },
    {
      key: 'n',
      does: 'next part',
      run: () => move(rows.findIndex(({ hunk }) => hunk === hunkAt + 1)),
    },
    {
      key: 'p',
      does: 'previous part',
      run: () => move(rows.findIndex(({ hunk }) => hunk === Math.max(hunkAt - 1, 0))),
    },
    {
      key: 'c',
      does: 'comment on the line',
      disabled: noComment,
      run: () => number !== null && setWriting(cursor),
    },
  ]);
  return (
    <section className="file" aria-label={visible(file.path)}>
      <h2>
        <code>{visible(file.path)}</code>
        {file.notes.map((note) => (
          <span key={note} className="note">
            {visible(note)}
          </span>
        ))}
      </h2>
      {rows.length === 0 ? (
        <p className="empty">No lines to show: it is not text, or only its mode or name changed.</p>
      ) : null}
      <div className="diff" role="region" aria-label="Changed lines" tabIndex={0}>
        <table>
          <tbody>
            {rows.slice(0, shown).map(({ hunk, line }, index) => {
              const isFirst = rows[index - 1]?.hunk !== hunk;
              const own = lineNumber(line);
              const comment = own === null ? undefined : comments.find((one) => one.line === own);
              return (
                <DiffRow
                  key={index}
                  line={line}
                  header={isFirst ? (file.hunks[hunk]?.header ?? '') : null}
                  isCursor={index === cursor}
                  comment={comment?.text}
                  isWriting={writing === index}
                  canComment={canComment && own !== null}
                  onSelect={() => setCursor(index)}
                  onWrite={() => setWriting(index)}
                  onDone={(text) => {
                    setWriting(null);
                    if (text !== null && own !== null) onComment(own, text);
                  }}
                />
              );
            })}
          </tbody>
        </table>
      </div>
      {rows.length > shown ? (
        <button
          type="button"
          className="action plain"
          onClick={() => setShown(shown + LINES_SHOWN)}
        >
          Show {Math.min(LINES_SHOWN, rows.length - shown)} more of {rows.length} lines
        </button>
      ) : null}
    </section>
  );
}

/** Comments go to the line of the new file. A removed line has its old number. */
function lineNumber(line: DiffLine | undefined): number | null {
  return line === undefined ? null : (line.after ?? line.before);
}

const SIGNS = { same: ' ', added: '+', removed: '−', note: '\\' } as const;

type RowProps = {
  readonly line: DiffLine;
  readonly header: string | null;
  readonly isCursor: boolean;
  readonly comment: string | undefined;
  readonly isWriting: boolean;
  readonly canComment: boolean;
  readonly onSelect: () => void;
  readonly onWrite: () => void;
  /** Null: as it was. */
  readonly onDone: (text: string | null) => void;
};

function DiffRow(props: RowProps): ReactNode {
  const { line, header, isCursor, comment, isWriting, canComment, onSelect, onWrite, onDone } =
    props;
  const element = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isCursor) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isCursor]);
  return (
    <>
      {header === null ? null : (
        <tr className="hunk">
          <td colSpan={4}>{visible(header)}</td>
        </tr>
      )}
      <tr ref={element} className={`${line.kind} ${isCursor ? 'cursor' : ''}`} onClick={onSelect}>
        <td className="number">{line.before}</td>
        <td className="number">{line.after}</td>
        <td className="sign">
          {canComment ? (
            <button
              type="button"
              aria-label={`Comment on line ${lineNumber(line) ?? ''}`}
              tabIndex={isCursor ? 0 : -1}
              onClick={onWrite}
            >
              {SIGNS[line.kind]}
            </button>
          ) : (
            SIGNS[line.kind]
          )}
        </td>
        <td className="text">{visible(line.text)}</td>
      </tr>
      {comment === undefined && !isWriting ? null : (
        <tr className="comment">
          <td colSpan={2} />
          <td colSpan={2}>
            {isWriting ? (
              <Writing text={comment ?? ''} onDone={onDone} />
            ) : (
              <button type="button" className="said" onClick={onWrite}>
                {comment}
              </button>
            )}
          </td>
        </tr>
      )}
    </>
  );
}

function Writing({
  text,
  onDone,
}: {
  readonly text: string;
  readonly onDone: (text: string | null) => void;
}): ReactNode {
  const [words, setWords] = useState(text);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onDone(words);
      }}
    >
      <label>
        <span className="unseen">Comment</span>
        <textarea
          autoFocus
          rows={2}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.stopPropagation();
              onDone(null);
            }
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault();
              onDone(words);
            }
          }}
        />
      </label>
      <span className="note">Enter keeps it, Esc leaves. An empty comment is removed.</span>
    </form>
  );
}
