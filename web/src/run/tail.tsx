/** What the agents and gates print, as it comes. It follows the end until the person scrolls up. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { TailLine } from '../../../src/protocol/views/board-state.ts';
import { lineText } from '../../../src/protocol/views/board-state.ts';
import { shortNumber, visible } from '../parts/words.ts';
import { findStart } from './find-start.ts';

type TailProps = {
  readonly run: string;
  readonly lines: readonly TailLine[];
  readonly leftOut: number;
  readonly isOpen: boolean;
  /** The part that the person wants to see: an attempt, or a gate. */
  readonly wanted: string | null;
  /** The person looks elsewhere. */
  readonly onLeave: () => void;
};

export function Tail({ run, lines, leftOut, isOpen, wanted, onLeave }: TailProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  const [marked, setMarked] = useState<number | null>(null);
  /** The line of the wanted part that was scrolled to. */
  const shown = useRef<number | undefined>(undefined);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 18,
    overscan: 20,
  });
  useEffect(() => {
    if (follows && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
    // New lines scroll, and nothing else does.
  }, [lines.length, follows]);
  useEffect(() => {
    if (wanted === null) shown.current = undefined;
    if (wanted === null || lines.length === 0) return;
    // Output arrives in pieces: of this part, nothing may be there yet, or an earlier run of the gate, or not the line
    // that fails. So the place may move until the person looks elsewhere.
    const at = findStart(lines, wanted);
    if (at === undefined || at === shown.current) return;
    shown.current = at;
    setFollows(false);
    setMarked(at);
    virtual.scrollToIndex(at, { align: 'center' });
  }, [wanted, lines]);
  const scrolled = (): void => {
    const one = box.current;
    if (one !== null) setFollows(one.scrollHeight - one.scrollTop - one.clientHeight < 40);
  };
  return (
    <section className="panel tail" aria-label="Output">
      <h2>
        Output{' '}
        <span className="note">
          {leftOut === 0 ? '' : `${shortNumber(leftOut)} characters before are left out · `}
          <code>supervisor logs {run}</code>
        </span>
        <label className="follow">
          <input
            type="checkbox"
            checked={follows}
            onChange={(event) => {
              onLeave();
              setFollows(event.target.checked);
            }}
          />{' '}
          follow
        </label>
      </h2>
      <div
        ref={box}
        className="lines"
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Output of the run"
        onScroll={scrolled}
        onWheel={onLeave}
        onPointerDown={onLeave}
        onKeyDown={onLeave}
      >
        {lines.length === 0 ? (
          <p className="empty">{isOpen ? 'Nothing was printed yet.' : 'Nothing was printed.'}</p>
        ) : null}
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map((item) => {
            const line = lines[item.index];
            if (line === undefined) return null;
            const isFirst = lines[item.index - 1]?.title !== line.title;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className={`line ${line.stream} ${item.index === marked ? 'marked' : ''}`}
                style={{
                  position: 'absolute',
                  insetInline: 0,
                  transform: `translateY(${item.start}px)`,
                }}
              >
                {isFirst ? <span className="title">{visible(line.title)}</span> : null}
                {visible(lineText(line)) || ' '}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
