/** One run: its story, its timeline, its facts, what its agents print, and why it stands where it does. */
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { RunEvent } from '../../../src/protocol/event.ts';
import { runStatus, statusText } from '../../../src/protocol/views/run-status.ts';
import { setTitle } from '../connection/share-count.ts';
import { useKeys } from '../parts/keys.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useNow } from '../parts/use-now.ts';
import { ago, cost, firstLine, moment, projectName, visible } from '../parts/words.ts';
import { Answers } from './answers.tsx';
import { Facts } from './facts.tsx';
import { RunActions } from './run-actions.tsx';
import { ForkPoints } from './fork-points.tsx';
import { Messages } from './messages.tsx';
import { Story } from './story.tsx';
import { Tail } from './tail.tsx';
import { Timeline } from './timeline.tsx';
import { Turns } from './turns.tsx';
import { useRun } from './use-run.ts';
import './run.css';

const ZOOMS = ['story', 'timeline', 'facts', 'turns'] as const;
/** The last causes of the story. The story has all of them. */
const CAUSES_SHOWN = 4;
type Zoom = (typeof ZOOMS)[number];

export function RunScreen({ id }: { readonly id: string }): ReactNode {
  const { row, why, followed, questions, problem } = useRun(id);
  const now = useNow();
  const [, navigate] = useLocation();
  const [zoom, setZoom] = useState<Zoom>('timeline');
  /** The part of the output that the person wants to see. */
  const [wanted, setWanted] = useState<string | null>(
    () => decodeURIComponent(location.hash.slice(1)) || null,
  );
  const red = followed?.events.findLast(isRedGate);
  useEffect(() => {
    if (red === undefined || wanted !== null || row?.view.outcome == null) return;
    if (location.hash === '') setWanted(`gate ${nameOfGate(red)}`);
  }, [red?.seq, row?.view.outcome?.kind]);
  const name = row === null ? id : firstLine(row.view.name ?? row.view.task);
  useEffect(() => setTitle(`${name} · Supervisor`), [name]);
  const asksApproval = questions.some(({ approval }) => approval !== undefined);
  useKeys('Run', [
    ...ZOOMS.map((one, index) => ({
      key: String(index + 1),
      does: `show the ${one}`,
      run: () => setZoom(one),
    })),
    { key: 'Escape', does: 'back to Now', run: () => navigate('/') },
    {
      key: 'r',
      does: 'review its change',
      disabled: asksApproval ? undefined : 'it waits for no approval',
      run: () => navigate(`/runs/${id}/review`),
    },
  ]);
  if (problem !== null)
    return (
      <p className="empty">
        {problem} <Link href="/">Go to Now</Link>
      </p>
    );
  if (row === null) return <p className="empty">Loading run {id}…</p>;
  const { view } = row;
  const events = followed?.events ?? [];
  const seq = events.findLast(({ type }) => type !== 'command.noted')?.seq ?? 0;
  /** The address names what is shown, as a command does. */
  const open = (key: string): void => {
    setWanted(key);
    history.replaceState(null, '', `#${encodeURIComponent(key)}`);
  };
  return (
    <div className="one-run">
      <div className="head">
        <StateMark status={runStatus(view)} />
        <h1>{visible(name)}</h1>
        <span className="facts-line">
          {projectName(view.project)} · {view.agent ?? 'no agent'} · <code>{view.id}</code> ·{' '}
          {ago(view.submittedAt, view.endedAt ?? now)}
          {cost(view) === '' ? '' : ` · ${cost(view)}`}
        </span>
      </div>
      <RunActions view={view} asksApproval={asksApproval} />
      <Answers questions={questions.filter(({ approval }) => approval === undefined)} now={now} />
      {asksApproval ? (
        <p className="asks">
          A change waits for your approval.{' '}
          <Link className="action main" href={`/runs/${id}/review`}>
            Review it
          </Link>
        </p>
      ) : null}
      <div className="zooms" role="tablist" aria-label="Zoom">
        {ZOOMS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={zoom === one}
            aria-controls="zoomed"
            onClick={() => setZoom(one)}
          >
            {one[0]?.toUpperCase()}
            {one.slice(1)}
            {one === 'facts' ? ` ${events.length}` : ''}
          </button>
        ))}
      </div>
      <section id="zoomed" role="tabpanel" aria-labelledby={`tab-${zoom}`} className="panel">
        {zoom === 'story' ? <Story why={why} now={now} /> : null}
        {zoom === 'timeline' ? <Timeline events={events} now={now} onOpen={open} /> : null}
        {zoom === 'timeline' && view.workflow !== null ? (
          <ForkPoints run={id} seq={seq} now={now} />
        ) : null}
        {zoom === 'turns' ? <Turns events={events} /> : null}
        {zoom === 'facts' ? <Facts events={events} /> : null}
      </section>
      <div className="below">
        <Tail
          run={id}
          lines={followed?.tail ?? []}
          leftOut={followed?.leftOut ?? 0}
          isOpen={view.outcome === null}
          wanted={wanted}
          onLeave={() => setWanted(null)}
        />
        <section className="panel why-here" aria-label="Why it stands here">
          <h2>Why it stands here</h2>
          <p className={`reason ${runStatus(view)}`}>
            <strong>{statusText(view)}</strong> {visible(row.reason ?? '')}
          </p>
          <ol className="causes">
            {(why?.chain ?? []).slice(-CAUSES_SHOWN).map(({ at, what }, index) => (
              <li key={`${at}-${index}`}>
                <time dateTime={new Date(at).toISOString()}>{moment(at, now)}</time> {visible(what)}
              </li>
            ))}
          </ol>
          {why?.next === null || why === null ? null : <p>Next: {visible(why.next)}</p>}
          <code className="command">$ supervisor why {view.id}</code>
          <Messages run={id} seq={seq} now={now} />
        </section>
      </div>
    </div>
  );
}

/** A run that ended opens at the first failing line of its last red gate. */
function isRedGate({ type, payload }: RunEvent): boolean {
  return (
    type === 'command.ended' &&
    payload.command === 'gate' &&
    payload.end.kind === 'done' &&
    payload.end.result.kind === 'failed'
  );
}

function nameOfGate({ type, payload }: RunEvent): string {
  return type === 'command.ended' && payload.command === 'gate' && payload.end.kind === 'done'
    ? payload.end.result.name
    : '';
}
