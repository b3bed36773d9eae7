/** The change of a run, file by file, and the decision about it. */
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { setTitle } from '../connection/share-count.ts';
import { useKeys } from '../parts/keys.ts';
import { useNow } from '../parts/use-now.ts';
import { countOf, firstLine, visible } from '../parts/words.ts';
import { describeLeftOut } from '../../../src/protocol/words/left-out-files.ts';
import { withComment } from '../../../src/protocol/words/line-comments.ts';
import { Decide } from './decide.tsx';
import { Decided } from './decided.tsx';
import { FileDiff } from './file-diff.tsx';
import { GateLine } from './gate-line.tsx';
import { useReview } from './use-review.ts';
import './review.css';

export function ReviewScreen({ id }: { readonly id: string }): ReactNode {
  const review = useReview(id);
  const { row, question, diff, files, comments, problem, diffProblem, followed } = review;
  const now = useNow();
  const [, navigate] = useLocation();
  const [at, setAt] = useState(0);
  const [viewed, setViewed] = useState<ReadonlySet<string>>(new Set());
  const name = row === null ? id : firstLine(row.view.name ?? row.view.task);
  useEffect(() => setTitle(`Review ${name} · Supervisor`), [name]);
  const file = files[Math.min(at, files.length - 1)];
  const go = (by: number): void =>
    setAt(Math.min(Math.max(at + by, 0), Math.max(files.length - 1, 0)));
  const toggleViewed = (): void => {
    if (file === undefined) return;
    const next = new Set(viewed);
    if (!next.delete(file.path)) next.add(file.path);
    setViewed(next);
  };
  useKeys('Review', [
    { key: 'j', does: 'next file', run: () => go(1) },
    { key: 'k', does: 'previous file', run: () => go(-1) },
    { key: 'v', does: 'mark the file as viewed', run: toggleViewed },
    { key: 'Escape', does: 'back to the run', run: () => navigate(`/runs/${id}`) },
  ]);
  if (problem !== null)
    return (
      <p className="empty">
        {problem} <Link href="/">Go to Now</Link>
      </p>
    );
  if (row === null) return <p className="empty">Loading run {id}…</p>;
  const needs = question?.approval.needs;
  const totals = files.length;
  const leftOut =
    diff === undefined || diffProblem !== null ? null : describeLeftOut(id, diff, totals);
  return (
    <div className="review">
      <div className="head">
        <h1>
          <Link href={`/runs/${id}`}>{visible(name)}</Link>
        </h1>
        {question === undefined ? null : (
          <span className={`risk ${needs?.tier ?? 'none'}`}>
            {needs === undefined ? 'asks for approval' : `${needs.tier} risk`}
          </span>
        )}
        <span className="facts-line">
          {countOf(diff?.files.length ?? 0, 'file')} <ins>+{sum(diff?.files, 'added')}</ins>{' '}
          <del>−{sum(diff?.files, 'removed')}</del>
          {question === undefined || question.approval.work === '' ? null : (
            <>
              {' '}
              · pinned tree <code>{question.approval.work.slice(0, 12)}</code>
            </>
          )}
        </span>
      </div>
      {needs === undefined || needs.reasons.length === 0 ? null : (
        <p className="reasons">Risk: {needs.reasons.map(visible).join(' · ')}</p>
      )}
      {question === undefined || question.approval.work !== '' ? null : (
        <p className="question">{visible(question.question)}</p>
      )}
      <GateLine events={followed?.events ?? []} caveats={row.view.caveats} />
      {(diff?.approvals ?? []).length === 0 ? null : (
        <ul className="care">
          {diff?.approvals.map(({ path, why }) => (
            <li key={path}>
              <code>{visible(path)}</code> {visible(why)}
            </li>
          ))}
        </ul>
      )}
      {diffProblem === null ? null : <p className="empty">No change to show: {diffProblem}</p>}
      {leftOut === null ? null : <p className={totals === 0 ? 'empty' : 'caveat'}>{leftOut}</p>}
      {totals === 0 ? null : (
        <div className="change">
          <nav className="files" aria-label="Files">
            <p className="note">
              {viewed.size} of {totals} viewed
            </p>
            <ul>
              {files.map((one, index) => (
                <li key={one.path}>
                  <button
                    type="button"
                    aria-current={one === file}
                    className={viewed.has(one.path) ? 'viewed' : ''}
                    title={visible(one.path)}
                    onClick={() => setAt(index)}
                  >
                    <span aria-hidden="true">{viewed.has(one.path) ? '✔' : '▸'}</span>{' '}
                    {visible(one.path)}
                    <Comments
                      count={comments.filter((comment) => comment.file === one.path).length}
                    />
                  </button>
                </li>
              ))}
            </ul>
          </nav>
          {file === undefined ? null : (
            <FileDiff
              key={file.path}
              file={file}
              comments={comments.filter((comment) => comment.file === file.path)}
              canComment={question !== undefined}
              onComment={(line, text) =>
                review.setComments(withComment(comments, { file: file.path, line, text }))
              }
            />
          )}
        </div>
      )}
      {question === undefined ? (
        <Decided events={followed?.events ?? []} now={now} />
      ) : (
        <Decide
          run={id}
          approval={question.approval}
          comments={comments}
          unseen={review.unseen}
          onSent={() => review.setComments([])}
        />
      )}
    </div>
  );
}

function Comments({ count }: { readonly count: number }): ReactNode {
  return count === 0 ? null : <span className="comments">({countOf(count, 'comment')})</span>;
}

type Sized = readonly { readonly added: number | null; readonly removed: number | null }[];

function sum(files: Sized | undefined, side: 'added' | 'removed'): number {
  return (files ?? []).reduce((total, file) => total + (file[side] ?? 0), 0);
}
