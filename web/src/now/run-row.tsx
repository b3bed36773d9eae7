/** One run on one line: state, task, bars, cost, and why it stands where it does. */
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { statusText } from '../../../src/protocol/views/run-status.ts';
import { Bars } from '../parts/bars.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { ago, cost, countOf, firstLine, projectName, visible } from '../parts/words.ts';
import type { Shown } from '../../../src/protocol/views/run-groups.ts';

type RowProps = {
  readonly shown: Shown;
  readonly now: number;
  readonly isSelected: boolean;
  readonly isMarked?: boolean;
  /** Absent: it can't be marked. */
  readonly onMark?: (id: string) => void;
};

export function RunRow({ shown, now, isSelected, isMarked = false, onMark }: RowProps): ReactNode {
  const { board, question, status } = shown;
  const { row, bars } = board;
  const { view } = row;
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isSelected) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isSelected]);
  const path = `/runs/${view.id}`;
  const asker = `/runs/${question?.run ?? view.id}`;
  const approval = question?.approval;
  return (
    <article
      ref={element}
      className={`run ${isSelected ? 'selected' : ''}`}
      aria-current={isSelected}
    >
      <span className="mark-state">
        {onMark === undefined ? null : (
          <input
            type="checkbox"
            aria-label={`Mark ${view.id}`}
            checked={isMarked}
            onChange={() => onMark(view.id)}
          />
        )}
        <StateMark status={status} />
      </span>
      <div className="what">
        <Link href={path} className="task">
          {visible(firstLine(view.name ?? view.task))}
        </Link>
        <span className="where">
          {projectName(view.project)} · {view.agent ?? 'no agent'} ·{' '}
          <span className="id">{view.id}</span>
        </span>
      </div>
      <div className="why">
        {question === undefined ? (
          <>
            <Bars bars={bars} now={now} />
            <span className="reason">{visible(row.reason ?? statusText(view))}</span>
          </>
        ) : approval === undefined ? (
          <span className="reason">“{visible(firstLine(question.question))}”</span>
        ) : (
          <span className="reason">
            asks for approval{approval.needs === undefined ? '' : `, ${approval.needs.tier} risk`}:{' '}
            {countOf(approval.files, 'file')} <ins>+{approval.added}</ins>{' '}
            <del>−{approval.deleted}</del>
          </span>
        )}
      </div>
      <span className="cost">{cost(view)}</span>
      <span className="age">
        {question === undefined
          ? ago(view.submittedAt, view.endedAt ?? now)
          : `waits ${ago(question.since, now)}`}
      </span>
      <span className="do">
        {question === undefined ? null : (
          <Link className="action main" href={approval === undefined ? path : `${asker}/review`}>
            {approval === undefined ? 'Answer' : 'Review'}
          </Link>
        )}
      </span>
    </article>
  );
}
