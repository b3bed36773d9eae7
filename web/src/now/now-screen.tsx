/** Everything at a glance: what needs you, what works, what waits, what is done. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { setTitle } from '../connection/share-count.ts';
import { useBoard } from '../connection/use-board.ts';
import { useKeys } from '../parts/keys.ts';
import { QueryLine } from '../query/query-line.tsx';
import { useNow } from '../parts/use-now.ts';
import { DoneList } from './done-list.tsx';
import { namesOf } from '../../../src/protocol/complete-query.ts';
import { Accounts } from './accounts-line.tsx';
import { Batch } from './batch.tsx';
import { groupRuns } from '../../../src/protocol/views/run-groups.ts';
import type { Shown } from '../../../src/protocol/views/run-groups.ts';
import { Schedules } from './schedules-line.tsx';
import { RunRow } from './run-row.tsx';
import './now.css';

export function NowScreen(): ReactNode {
  const { rows, questions, accounts, cooling, schedules } = useBoard();
  const now = useNow();
  const [, navigate] = useLocation();
  const [search, setSearch] = useSearchParams();
  const query = search.get('q') ?? '';
  const line = useRef<HTMLInputElement>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
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
  // An instruction may change a run so that the query does not select it any more. It stays marked.
  const markedRuns = useMemo(() => {
    if (marked.size === 0) return [];
    const chosen = [...(rows?.values() ?? [])].filter(({ row }) => marked.has(row.view.id));
    return Object.values(groupRuns(chosen, questions, '', now).groups).flat();
  }, [rows, questions, marked, now]);
  const toggle = (id: string): void => {
    const next = new Set(marked);
    if (!next.delete(id)) next.add(id);
    setMarked(next);
  };
  const names = useMemo(
    () => namesOf([...(rows?.values() ?? [])].map(({ row }) => row.view)),
    [rows],
  );
  const path = current === undefined ? undefined : `/runs/${current.board.row.view.id}`;
  const none = path === undefined ? 'select a run first, with j or k' : undefined;
  const noApproval =
    current?.question?.approval === undefined ? 'it waits for no approval' : undefined;
  useKeys('Now', [
    { key: '/', does: 'type a query', run: () => line.current?.focus() },
    { key: 'j', does: 'next run', run: () => move(1) },
    { key: 'k', does: 'previous run', run: () => move(-1) },
    {
      key: ' ',
      does: 'mark it, for an instruction to several runs',
      disabled: none,
      run: () => current !== undefined && toggle(current.board.row.view.id),
    },
    {
      key: '*',
      does: 'mark all active runs that the query selects',
      disabled: open.length === 0 ? 'there is none' : undefined,
      run: () => setMarked(new Set(open.map(({ board }) => board.row.view.id))),
    },
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
      <QueryLine query={query} problem={problem} names={names} input={line} onChange={setQuery} />
      {markedRuns.length === 0 ? null : (
        <Batch runs={markedRuns} onClear={() => setMarked(new Set())} />
      )}
      {rows === null ? (
        <p className="empty">Waiting for the owner…</p>
      ) : (
        <>
          <Group
            title="Needs you"
            look="needs"
            runs={groups['needs-you']}
            selected={selected}
            marked={marked}
            onMark={toggle}
            now={now}
            empty="Nothing waits for you."
          />
          <Group
            title="Working"
            look="working"
            runs={groups.working}
            selected={selected}
            marked={marked}
            onMark={toggle}
            now={now}
            empty="No agent works. Start one with: supervisor run"
          />
          {groups.cooling.length === 0 ? null : (
            <Group
              title="Cooling and waiting"
              look="cooling"
              runs={groups.cooling}
              selected={selected}
              marked={marked}
              onMark={toggle}
              now={now}
              empty=""
            />
          )}
          <Accounts accounts={accounts} cooling={cooling} now={now} />
          <Schedules schedules={schedules} now={now} />
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
  readonly marked: ReadonlySet<string>;
  readonly onMark: (id: string) => void;
  readonly now: number;
  readonly empty: string;
};

function Group({ title, look, runs, selected, marked, onMark, now, empty }: GroupProps): ReactNode {
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
              <RunRow
                shown={shown}
                now={now}
                isSelected={shown.board.row.view.id === selected}
                isMarked={marked.has(shown.board.row.view.id)}
                onMark={onMark}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
