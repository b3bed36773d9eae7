/** Everything at a glance: what needs you, what works, what waits, what is done. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { setTitle } from '../connection/share-count.ts';
import { useBoard } from '../connection/use-board.ts';
import { useKeys } from '../parts/keys.ts';
import { useNow } from '../parts/use-now.ts';
import { DoneList } from './done-list.tsx';
import { completions, groupRuns } from './groups.ts';
import type { Shown } from './groups.ts';
import { RunRow } from './run-row.tsx';
import './now.css';

export function NowScreen(): ReactNode {
  const { rows, questions } = useBoard();
  const now = useNow();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const query = search.get('q') ?? '';
  const line = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState<string | null>(null);
  useEffect(() => setTitle('Supervisor'), []);
  // Ages change once a second, and a query may ask for them.
  const { groups, problem } = useMemo(
    () => groupRuns(rows?.values() ?? [], questions, query, now),
    [rows, questions, query, now],
  );
  const open = [...groups['needs-you'], ...groups.working, ...groups.cooling];
  const all = [...open, ...groups.done];
  const at = all.findIndex(({ board }) => board.row.view.id === selected);
  const move = (by: number): void => {
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    if (next !== undefined) setSelected(next.board.row.view.id);
  };
  const current = all[at];
  const path = current === undefined ? undefined : `/runs/${current.board.row.view.id}`;
  const none = path === undefined ? 'select a run first, with j or k' : undefined;
  const noApproval =
    current?.question?.approval === undefined ? 'it waits for no approval' : undefined;
  useKeys('Now', [
    { key: '/', does: 'type a query', run: () => line.current?.focus() },
    { key: 'j', does: 'next run', run: () => move(1) },
    { key: 'k', does: 'previous run', run: () => move(-1) },
    { key: 'Enter', does: 'open the run', disabled: none, run: () => path && navigate(path) },
    {
      key: 'r',
      does: 'review its change',
      disabled: none ?? noApproval,
      run: () => path && navigate(`${path}/review`),
    },
  ]);
  const setQuery = (text: string): void =>
    setSearch(text === '' ? {} : { q: text }, { replace: true });
  return (
    <div className="now">
      <form className="query" role="search" onSubmit={(event) => event.preventDefault()}>
        <label className="unseen" htmlFor="query">
          Query
        </label>
        <input
          id="query"
          ref={line}
          value={query}
          list="completions"
          autoComplete="off"
          spellCheck={false}
          placeholder="is:bad project:shop agent:codex age:<1d"
          aria-invalid={problem !== null}
          aria-describedby="query-note"
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
          }}
        />
        <datalist id="completions">
          {completions(query, rows?.values() ?? []).map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <span id="query-note" className={problem === null ? 'note' : 'problem'} role="status">
          {problem ?? (query === '' ? '' : `supervisor status ${query}`)}
        </span>
      </form>
      {rows === null ? (
        <p className="empty">Waiting for the owner…</p>
      ) : (
        <>
          <Group
            title="Needs you"
            look="needs"
            runs={groups['needs-you']}
            selected={selected}
            now={now}
            empty="Nothing waits for you."
          />
          <Group
            title="Working"
            look="working"
            runs={groups.working}
            selected={selected}
            now={now}
            empty="No agent works. Start one with: supervisor run"
          />
          {groups.cooling.length === 0 ? null : (
            <Group
              title="Cooling and waiting"
              look="cooling"
              runs={groups.cooling}
              selected={selected}
              now={now}
              empty=""
            />
          )}
          <DoneList runs={groups.done} selected={selected} now={now} />
        </>
      )}
    </div>
  );
}

type GroupProps = {
  readonly title: string;
  readonly look: string;
  readonly runs: readonly Shown[];
  readonly selected: string | null;
  readonly now: number;
  readonly empty: string;
};

function Group({ title, look, runs, selected, now, empty }: GroupProps): ReactNode {
  return (
    <section className={`group ${look}`} aria-label={title}>
      <h2>
        {title} <span className="count">{runs.length}</span>
      </h2>
      {runs.length === 0 ? (
        <p className="empty">{empty}</p>
      ) : (
        <ul className="rows">
          {runs.map((shown) => (
            <li key={shown.board.row.view.id}>
              <RunRow shown={shown} now={now} isSelected={shown.board.row.view.id === selected} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
