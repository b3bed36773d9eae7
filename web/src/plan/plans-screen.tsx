/** All features that are built or were built. */
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { FEATURE_PROGRAM } from '../../../src/protocol/feature.ts';
import { runStatus, statusText } from '../../../src/protocol/views/run-status.ts';
import { setTitle } from '../connection/share-count.ts';
import { useBoard } from '../connection/use-board.ts';
import { useKeys } from '../parts/keys.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useNow } from '../parts/use-now.ts';
import { ago, cost, firstLine, projectName, visible } from '../parts/words.ts';
import './plan.css';

export function PlansScreen(): ReactNode {
  const { rows } = useBoard();
  const now = useNow();
  const [, navigate] = useLocation();
  const [at, setAt] = useState(0);
  useEffect(() => setTitle('Plans · Supervisor'), []);
  const plans = [...(rows?.values() ?? [])]
    .map(({ row }) => row)
    .filter(({ view }) => view.program === FEATURE_PROGRAM)
    .toSorted((a, b) => b.view.submittedAt - a.view.submittedAt);
  const current = plans[at];
  useKeys('Plans', [
    { key: 'j', does: 'next plan', run: () => setAt(Math.min(at + 1, plans.length - 1)) },
    { key: 'k', does: 'previous plan', run: () => setAt(Math.max(at - 1, 0)) },
    {
      key: 'Enter',
      does: 'open the plan',
      disabled: current === undefined ? 'there is none' : undefined,
      run: () => current !== undefined && navigate(`/plans/${current.view.id}`),
    },
  ]);
  if (rows === null) return <p className="empty">Waiting for the owner…</p>;
  if (plans.length === 0)
    return (
      <div className="blank">
        <h1>Plans</h1>
        <p>No feature is built yet.</p>
        <p className="note">
          A feature is divided into components. Those that touch no common file are built side by
          side, and land one after the other.
        </p>
        <code className="command">$ supervisor plan "let customers pay by invoice"</code>
      </div>
    );
  return (
    <div className="plans">
      <div className="head">
        <h1>Plans</h1>
      </div>
      <ul className="rows">
        {plans.map(({ view, reason }, index) => (
          <li key={view.id} className={`plan-row ${index === at ? 'selected' : ''}`}>
            <StateMark status={runStatus(view)} />
            <Link href={`/plans/${view.id}`} className="task">
              {visible(firstLine(view.task))}
            </Link>
            <span className="note">
              {projectName(view.project)} · <span className="id">{view.id}</span>
            </span>
            <span className="note">{visible(reason ?? statusText(view))}</span>
            <span className="note right">
              {[cost(view), ago(view.submittedAt, view.endedAt ?? now)].filter(Boolean).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
