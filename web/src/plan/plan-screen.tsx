/** One feature: its components as a graph or a table, and the queue in which their work lands. */
import { Suspense, lazy, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { setTitle } from '../connection/share-count.ts';
import { useBoard } from '../connection/use-board.ts';
import { useKeys } from '../parts/keys.ts';
import { useNow } from '../parts/use-now.ts';
import { countOf, visible } from '../parts/words.ts';
import { Answers } from '../run/answers.tsx';
import { ComponentPanel } from './component-panel.tsx';
import { ComponentTable } from './component-table.tsx';
import { componentsOf } from './component-look.ts';
import { MergeQueue } from './merge-queue.tsx';
import { useFeature } from './use-feature.ts';
import './plan.css';

const Graph = lazy(async () => ({ default: (await import('./graph.tsx')).Graph }));
const SHAPES = ['graph', 'table'] as const;

export function PlanScreen({ id }: { readonly id: string }): ReactNode {
  const { view, problem } = useFeature(id);
  const { questions } = useBoard();
  const now = useNow();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const shape = search.get('as') === 'table' ? 'table' : 'graph';
  const [selected, setSelected] = useState<string | null>(null);
  const name = view?.title ?? id;
  useEffect(() => setTitle(`${name} · Supervisor`), [name]);
  const components = view === undefined ? [] : componentsOf(view);
  const active = components.find(({ state }) => state !== 'complete' && state !== 'pending');
  const current = components.find((one) => one.id === selected) ?? active ?? components[0];
  const move = (by: number): void => {
    const at = current === undefined ? 0 : components.indexOf(current);
    const next = components[Math.min(Math.max(at + by, 0), components.length - 1)];
    if (next !== undefined) setSelected(next.id);
  };
  const show = (one: string): void =>
    setSearch(one === 'graph' ? {} : { as: one }, { replace: true });
  useKeys('Plan', [
    { key: '1', does: 'show the graph', run: () => show('graph') },
    { key: '2', does: 'show the table', run: () => show('table') },
    { key: 'j', does: 'next component', run: () => move(1) },
    { key: 'k', does: 'previous component', run: () => move(-1) },
    {
      key: 'Enter',
      does: 'open its run',
      disabled: current?.run == null ? 'it has no run yet' : undefined,
      run: () => current?.run != null && navigate(`/runs/${current.run}`),
    },
    { key: 'Escape', does: 'back to all plans', run: () => navigate('/plans') },
  ]);
  if (problem !== null)
    return (
      <p className="empty">
        {problem} <Link href="/plans">Go to Plans</Link>
      </p>
    );
  if (view === undefined) return <p className="empty">Loading plan {id}…</p>;
  const landed = components.filter(({ state }) => state === 'complete').length;
  const asked = questions.filter(({ root }) => root === id);
  return (
    <div className="plan-screen">
      <div className="head">
        <h1>{visible(view.title)}</h1>
        <span className="facts-line">
          {view.feature} · {landed} of {countOf(components.length, 'component')} landed on{' '}
          <code>{view.branch}</code> · at most {view.capacity} at once
          {view.paused ? ' · paused' : ''}
          {view.outcome === null ? '' : ` · ${view.outcome.kind}`}
        </span>
        <span
          className="progress"
          role="img"
          aria-label={`${landed} of ${components.length} landed`}
        >
          {components.map((one) => (
            <i key={one.id} className={one.state} title={`${one.name}: ${one.state}`} />
          ))}
        </span>
      </div>
      <Answers questions={asked} now={now} />
      {view.conflicts.length === 0 ? null : (
        <p className="care-line">
          {view.conflicts
            .map(({ components: [one, other], file }) => `${one} and ${other} both change ${file}`)
            .map(visible)
            .join('; ')}
          .
        </p>
      )}
      <div className="zooms" role="tablist" aria-label="Shape">
        {SHAPES.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={shape === one}
            aria-controls="shaped"
            onClick={() => show(one)}
          >
            {one === 'graph' ? 'Graph' : 'Table'}
          </button>
        ))}
      </div>
      <div className="beside">
        <div id="shaped" role="tabpanel" aria-labelledby={`tab-${shape}`}>
          {shape === 'graph' ? (
            <Suspense fallback={<div className="graph" />}>
              <Graph view={view} selected={current?.id ?? null} onSelect={setSelected} />
            </Suspense>
          ) : (
            <ComponentTable view={view} selected={current?.id ?? null} onSelect={setSelected} />
          )}
          <MergeQueue view={view} now={now} />
        </div>
        {current === undefined ? null : (
          <ComponentPanel key={current.id} view={view} component={current} />
        )}
      </div>
    </div>
  );
}
