/** The user's agents as a table: their order, their mode, and which takes over from which. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentTableTest, AgentTableView } from '../../../src/protocol/views/agent-table.ts';
import { get, post } from '../connection/api.ts';
import { setTitle } from '../connection/share-count.ts';
import { Action, useSending } from '../parts/action.tsx';
import { useKeys } from '../parts/keys.ts';
import { visible } from '../parts/words.ts';
import { AgentRow } from './agent-row.tsx';
import { ChainLine } from './chain-line.tsx';
import type { Draft } from './table-draft.ts';
import * as table from './table-draft.ts';
import './agents.css';

const MODES: Readonly<Record<string, string>> = {
  fallback: 'the first one starts, and the next takes over',
  'round-robin': 'each run starts with the next one in turn',
  'least-used': 'the one that was used least starts',
  pinned: 'the pinned one starts every run',
};

export function AgentsScreen(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['agent-table'],
    queryFn: ({ signal }) => get<AgentTableView>('/v1/agent-table', signal),
    staleTime: 0,
    // A newer file would replace what the person has typed. A write is refused then, and says so.
    refetchOnReconnect: false,
  });
  useEffect(() => setTitle('Agents · Supervisor'), []);
  if (error !== null)
    return (
      <div className="blank">
        <h1>Agents</h1>
        <p className="problem">{error.message}</p>
        <p>{(error as { hint?: string }).hint ?? ''}</p>
      </div>
    );
  if (data === undefined) return <p className="empty">Loading the agents…</p>;
  return <Table key={data.version} view={data} />;
}

function Table({ view }: { readonly view: AgentTableView }): ReactNode {
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => table.draftOf(view));
  const [at, setAt] = useState(0);
  const [found, setFound] = useState<AgentTableTest | null>(null);
  const saving = useSending();
  const testing = useSending();
  const isChanged = table.isChanged(draft, view);
  const folders = [...new Set(view.rows.flatMap(({ configDir }) => configDir ?? []))];
  const save = (): void =>
    void saving.send(async () => {
      const after = await post<AgentTableView>('/v1/agent-table', {
        version: view.version,
        ...draft,
      });
      queries.setQueryData(['agent-table'], after);
    });
  const test = (): void =>
    void testing.send(async () => setFound(await post<AgentTableTest>('/v1/agent-table/test', {})));
  /** Also reads the file again: another program may have changed it. */
  const undo = (): void => {
    setDraft(table.draftOf(view));
    void queries.invalidateQueries({ queryKey: ['agent-table'] });
  };
  const move = (by: number): void => {
    setDraft(table.moved(draft, at, by));
    setAt(Math.min(Math.max(at + by, 0), draft.rows.length - 1));
  };
  const none = draft.rows.length === 0 ? 'there is no agent in the table' : undefined;
  const unchanged = isChanged ? undefined : 'nothing is changed';
  const unwritable = saving.isSending ? 'the owner writes it' : unchanged;
  const untestable = testing.isSending
    ? 'the test runs'
    : (none ?? (isChanged ? 'save the table first' : undefined));
  useKeys('Agents', [
    { key: 'j', does: 'next agent', run: () => setAt(Math.min(at + 1, draft.rows.length - 1)) },
    { key: 'k', does: 'previous agent', run: () => setAt(Math.max(at - 1, 0)) },
    { key: 'J', does: 'move it down', disabled: none, run: () => move(1) },
    { key: 'K', does: 'move it up', disabled: none, run: () => move(-1) },
    { key: 'a', does: 'add an agent', run: () => setDraft(table.withNewRow(draft, 'claude')) },
    {
      key: 'd',
      does: 'remove it from the table',
      disabled: none,
      run: () => setDraft(table.withoutRow(draft, at)),
    },
    {
      key: 'u',
      does: 'undo all changes, and read the file again',
      disabled: unchanged,
      run: undo,
    },
    { key: 'w', does: 'write the file', disabled: unwritable, run: save },
    { key: 't', does: 'test the chain', disabled: untestable, run: test },
  ]);
  return (
    <div className="agents-screen">
      <div className="head">
        <h1>Agents</h1>
        <span className="facts-line">
          <code>{visible(view.file)}</code>
        </span>
      </div>
      <ChainLine draft={draft} found={found} />
      <div className="wide" role="region" aria-label="Agents" tabIndex={0}>
        <table className="agents-table">
          <thead>
            <tr>
              <th>order</th>
              <th>id</th>
              <th>CLI</th>
              <th>model</th>
              <th>folder of its login</th>
              <th>falls back to</th>
              <th>works</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {draft.rows.map((row, index) => (
              <AgentRow
                key={row.was ?? `new ${index}`}
                row={row}
                others={row.was === null ? [] : (view.rows[row.was]?.others ?? [])}
                clis={view.clis}
                folders={folders}
                names={draft.rows.map(({ id }) => id)}
                fallback={draft.fallbacks[row.id] ?? null}
                found={found?.agents.find(({ id }) => id === row.id)}
                isSelected={index === at}
                isFirst={index === 0}
                isLast={index === draft.rows.length - 1}
                onSelect={() => setAt(index)}
                onChange={(change) => setDraft(table.withRow(draft, index, change))}
                onFallback={(to) => setDraft(table.withFallback(draft, row.id, to))}
                onMove={(by) => {
                  setDraft(table.moved(draft, index, by));
                  setAt(index + by);
                }}
                onRemove={() => setDraft(table.withoutRow(draft, index))}
              />
            ))}
          </tbody>
        </table>
      </div>
      {draft.rows.length === 0 ? (
        <p className="empty">
          The file names no agent. Then the first CLI that is installed and logged in works.
        </p>
      ) : null}
      <div className="row">
        <button
          type="button"
          className="action plain"
          onClick={() => setDraft(table.withNewRow(draft, 'claude'))}
        >
          Add an agent
        </button>
        <label className="choice">
          Mode
          <select
            value={draft.mode}
            onChange={(event) => setDraft({ ...draft, mode: event.target.value })}
          >
            {view.modes.map((mode) => (
              <option key={mode}>{mode}</option>
            ))}
          </select>
        </label>
        {draft.mode === 'pinned' ? (
          <label className="choice">
            Pinned
            <select
              value={draft.pinned ?? ''}
              onChange={(event) => setDraft({ ...draft, pinned: event.target.value || null })}
            >
              <option value="">none</option>
              {draft.rows.map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
            </select>
          </label>
        ) : null}
        <span className="note">{MODES[draft.mode] ?? ''}</span>
      </div>
      <div className="row bottom">
        <Action
          label="Test chain"
          command="supervisor agents"
          disabled={untestable}
          onPress={test}
        />
        <span className="spring" />
        <Action
          label="Undo"
          command="the table as the file has it"
          disabled={unchanged}
          onPress={undo}
        />
        <Action
          label="Write the file"
          look="main"
          command={`$EDITOR ${view.file}`}
          disabled={unwritable}
          onPress={save}
        />
      </div>
      {[saving.problem, testing.problem].map((problem, index) =>
        problem === null ? null : (
          <p key={index} role="alert" className="problem said-by-owner">
            {visible(problem)}
          </p>
        ),
      )}
      <p className="note">
        Comments of the file stay. Programs, arguments, variables and new folders of an agent are
        written in the file only. New runs use the table; runs that have begun keep their agents.
      </p>
    </div>
  );
}
