/** The runs that have ended, newest first. Only those in view are drawn, so thousands of them cost nothing. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import type { Shown } from '../../../src/protocol/views/run-groups.ts';
import { RunRow } from './run-row.tsx';

const ROW_PX = 40;

type DoneProps = {
  readonly runs: readonly Shown[];
  readonly selected: string | null;
  readonly now: number;
};

export function DoneList({ runs, selected, now }: DoneProps): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  const virtual = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: (index) => runs[index]?.board.row.view.id ?? index,
  });
  const at = runs.findIndex(({ board }) => board.row.view.id === selected);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: 'auto' });
    // The list itself changes with every event, and only another selection scrolls.
  }, [at]);
  const count = (kind: string): number => runs.filter(({ status }) => status === kind).length;
  const parts = (
    ['succeeded', 'unverified', 'failed', 'exhausted', 'blocked', 'cancelled'] as const
  )
    .map((kind) => ({ kind, number: count(kind) }))
    .filter(({ number }) => number > 0);
  return (
    <section className="group done" aria-label="Done">
      <h2>
        Done <span className="count">{runs.length}</span>
        <span className="tally">
          {parts.map(({ kind, number }) => (
            <a key={kind} href={`/?q=is:${kind}`}>
              {number} {kind}
            </a>
          ))}
        </span>
      </h2>
      {runs.length === 0 ? <p className="empty">Nothing has ended yet.</p> : null}
      <ul
        ref={list}
        className="rows"
        style={{ height: virtual.getTotalSize(), position: 'relative' }}
      >
        {virtual.getVirtualItems().map((item) => {
          const shown = runs[item.index];
          if (shown === undefined) return null;
          const top = item.start - virtual.options.scrollMargin;
          return (
            <li
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              style={{ position: 'absolute', insetInline: 0, transform: `translateY(${top}px)` }}
            >
              <RunRow shown={shown} now={now} isSelected={item.index === at} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
