/** One agent of the table. */
import type { ReactNode } from 'react';
import type { AgentTableTest } from '../../../src/protocol/views/agent-table.ts';
import { visible } from '../parts/words.ts';
import type { DraftRow } from './table-draft.ts';

type Found = AgentTableTest['agents'][number];

export const FOUND: Readonly<Record<Found['state'], readonly [sign: string, look: string]>> = {
  ok: ['✔', 'good'],
  limited: ['○', 'unproven'],
  cooling: ['◌', 'waiting'],
  missing: ['✖', 'bad'],
  broken: ['✖', 'bad'],
};

type RowProps = {
  readonly row: DraftRow;
  /** Keys that only the file can change. */
  readonly others: readonly string[];
  readonly clis: readonly string[];
  /** Those that the file names. A new one is written to the file by hand. */
  readonly folders: readonly string[];
  readonly names: readonly string[];
  readonly fallback: string | null;
  readonly found: Found | undefined;
  readonly isSelected: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onSelect: () => void;
  readonly onChange: (change: Partial<DraftRow>) => void;
  readonly onFallback: (to: string | null) => void;
  readonly onMove: (by: number) => void;
  readonly onRemove: () => void;
};

export function AgentRow(props: RowProps): ReactNode {
  const { row, others, clis, folders, names, fallback, found, isSelected, isFirst, isLast } = props;
  const { onSelect, onChange, onFallback, onMove, onRemove } = props;
  const isCustom = row.cli === 'custom';
  const own = clis.includes(row.cli) ? clis : [row.cli, ...clis];
  return (
    <tr className={isSelected ? 'selected' : ''} aria-current={isSelected} onFocus={onSelect}>
      <td className="order">
        <button
          type="button"
          aria-label={`Move ${row.id} up`}
          disabled={isFirst}
          onClick={() => onMove(-1)}
        >
          ▲
        </button>
        <button
          type="button"
          aria-label={`Move ${row.id} down`}
          disabled={isLast}
          onClick={() => onMove(1)}
        >
          ▼
        </button>
      </td>
      <td>
        <input
          aria-label="Id"
          value={row.id}
          spellCheck={false}
          onChange={(event) => onChange({ id: event.target.value })}
        />
        {others.length === 0 ? null : (
          <span className="note" title="The file sets these too. Only the file changes them.">
            + {others.join(', ')}
          </span>
        )}
      </td>
      <td>
        <select
          aria-label={`CLI of ${row.id}`}
          value={row.cli}
          disabled={isCustom}
          onChange={(event) => onChange({ cli: event.target.value })}
        >
          {own.map((cli) => (
            <option key={cli}>{cli}</option>
          ))}
        </select>
      </td>
      <td>
        <input
          aria-label={`Model of ${row.id}`}
          value={row.model ?? ''}
          placeholder="its own choice"
          spellCheck={false}
          onChange={(event) => onChange({ model: event.target.value || null })}
        />
      </td>
      <td>
        <select
          aria-label={`Folder of ${row.id}`}
          value={row.configDir ?? ''}
          onChange={(event) => onChange({ configDir: event.target.value || null })}
        >
          <option value="">its own default</option>
          {folders.map((folder) => (
            <option key={folder}>{folder}</option>
          ))}
        </select>
      </td>
      <td>
        <select
          aria-label={`Fallback of ${row.id}`}
          value={fallback ?? ''}
          onChange={(event) => onFallback(event.target.value || null)}
        >
          <option value="">the next one</option>
          {names
            .filter((name) => name !== row.id)
            .map((name) => (
              <option key={name}>{name}</option>
            ))}
        </select>
      </td>
      <td className="found">
        {found === undefined ? (
          <span className="note">not tested</span>
        ) : (
          <>
            <span className={`state ${FOUND[found.state][1]}`}>
              {FOUND[found.state][0]} {found.state}
            </span>
            <span className="note">
              {visible([found.found, found.note].filter(Boolean).join(' · '))}
            </span>
            {found.get === null ? null : <code>$ {found.get.join(' && ')}</code>}
          </>
        )}
      </td>
      <td>
        <button type="button" className="quiet" aria-label={`Remove ${row.id}`} onClick={onRemove}>
          Remove
        </button>
      </td>
    </tr>
  );
}
