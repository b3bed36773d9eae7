/** The long-lived agents under their supervisors: how they are, what restarts they have left, and what they ask. */
import { useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { setTitle } from '../connection/share-count.ts';
import { useBoard, useTree } from '../connection/use-board.ts';
import { useKeys } from '../parts/keys.ts';
import { useNow } from '../parts/use-now.ts';
import { countOf } from '../parts/words.ts';
import { AgentPanel } from './agent-panel.tsx';
import { NodeRow } from './node-row.tsx';
import { treeRows, troubled } from './tree-rows.ts';
import './tree.css';

export function TreeScreen(): ReactNode {
  const tree = useTree();
  const { questions } = useBoard();
  const now = useNow();
  const [selected, setSelected] = useState<string | null>(null);
  const [withInternals, setWithInternals] = useState(false);
  useEffect(() => setTitle('Tree · Supervisor'), []);
  const nodes = tree?.nodes ?? [];
  const rows = useMemo(
    () => treeRows(nodes, questions, withInternals),
    [nodes, questions, withInternals],
  );
  const at = rows.findIndex(({ node }) => node.id === selected);
  const row = rows[at] ?? rows.find(({ question }) => question !== undefined) ?? rows[0];
  const move = (by: number): void => {
    const from = row === undefined ? 0 : rows.indexOf(row);
    const next = rows[Math.min(Math.max(from + by, 0), rows.length - 1)];
    if (next !== undefined) setSelected(next.node.id);
  };
  useKeys('Tree', [
    { key: 'j', does: 'next', run: () => move(1) },
    { key: 'k', does: 'previous', run: () => move(-1) },
    {
      key: 'i',
      does: withInternals ? "hide the owner's own parts" : "show the owner's own parts",
      run: () => setWithInternals(!withInternals),
    },
  ]);
  if (tree === null) return <p className="empty">Waiting for the owner…</p>;
  const unwell = troubled(nodes);
  return (
    <div className="tree-screen">
      <div className="head">
        <h1>Tree</h1>
        <span className="facts-line">
          {countOf(nodes.filter(({ agent }) => agent !== null && !agent.ended).length, 'agent')}{' '}
          under supervision
        </span>
        <label className="switch">
          <input
            type="checkbox"
            checked={withInternals}
            onChange={(event) => setWithInternals(event.target.checked)}
          />{' '}
          the owner’s own parts
        </label>
      </div>
      {unwell.length === 0 ? null : (
        <p className="care-line" role="status">
          Parts of the owner are not well:{' '}
          {unwell.map(({ name, health }) => `${name} (${health})`).join(', ')}.
        </p>
      )}
      {rows.length === 0 ? (
        <div className="blank">
          <p>No long-lived agent yet.</p>
          <p className="note">
            A long-lived agent keeps a job, such as the docs or the builds. Its supervisor restarts
            it when it fails.
          </p>
          <code className="command">$ supervisor spawn "keep the docs in order" --name docs</code>
        </div>
      ) : (
        <div className="beside">
          <ul className="nodes" aria-label="The tree">
            {rows.map((one) => (
              <NodeRow
                key={one.node.id}
                row={one}
                now={now}
                isSelected={one === row}
                onSelect={() => setSelected(one.node.id)}
              />
            ))}
          </ul>
          {row === undefined ? null : <AgentPanel key={row.node.id} row={row} now={now} />}
        </div>
      )}
    </div>
  );
}
