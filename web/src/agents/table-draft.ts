/** The table of agents while a person changes it. */
import type { AgentTableChange, AgentTableView } from '../../../src/protocol/views/agent-table.ts';

export type DraftRow = AgentTableChange['rows'][number];
export type Draft = Omit<AgentTableChange, 'version'>;

export function draftOf({ rows, mode, fallbacks, pinned }: AgentTableView): Draft {
  return {
    rows: rows.map(({ id, cli, model, configDir }, was) => ({ id, cli, model, configDir, was })),
    ...{ mode, fallbacks, pinned },
  };
}

export function isChanged(draft: Draft, view: AgentTableView): boolean {
  return JSON.stringify(draft) !== JSON.stringify(draftOf(view));
}

export function moved({ rows, ...draft }: Draft, at: number, by: number): Draft {
  const row = rows[at];
  const to = at + by;
  if (row === undefined || to < 0 || to >= rows.length) return { rows, ...draft };
  return { ...draft, rows: rows.toSpliced(at, 1).toSpliced(to, 0, row) };
}

/** Another name of an agent is its name everywhere. */
export function withRow(draft: Draft, at: number, change: Partial<DraftRow>): Draft {
  const row = draft.rows[at];
  if (row === undefined) return draft;
  const rows = draft.rows.with(at, { ...row, ...change });
  if (change.id === undefined || change.id === row.id) return { ...draft, rows };
  const named = (id: string): string => (id === row.id ? (change.id ?? id) : id);
  const fallbacks = Object.fromEntries(
    Object.entries(draft.fallbacks).map(([from, to]) => [named(from), named(to)]),
  );
  return { ...draft, rows, fallbacks, pinned: draft.pinned === null ? null : named(draft.pinned) };
}

export function withNewRow(draft: Draft, cli: string): Draft {
  const names = new Set(draft.rows.map(({ id }) => id));
  let id = cli;
  for (let nth = 2; names.has(id); nth += 1) id = `${cli}-${nth}`;
  const row = { id, cli, model: null, configDir: null, was: null };
  return { ...draft, rows: [...draft.rows, row] };
}

/** Nothing falls back to an agent that is gone. */
export function withoutRow(draft: Draft, at: number): Draft {
  const gone = draft.rows[at]?.id;
  const fallbacks = Object.fromEntries(
    Object.entries(draft.fallbacks).filter(([from, to]) => from !== gone && to !== gone),
  );
  return {
    ...draft,
    ...{ rows: draft.rows.toSpliced(at, 1), fallbacks },
    pinned: draft.pinned === gone ? null : draft.pinned,
  };
}

export function withFallback(draft: Draft, from: string, to: string | null): Draft {
  const { [from]: _, ...others } = draft.fallbacks;
  return { ...draft, fallbacks: to === null ? others : { ...others, [from]: to } };
}

/** The agents in the order in which a run tries them, from the first one on. */
export function chainOf({ rows, fallbacks }: Draft): readonly string[] {
  if (Object.keys(fallbacks).length === 0) return rows.map(({ id }) => id);
  const chain: string[] = [];
  for (let id = rows[0]?.id; id !== undefined && !chain.includes(id); id = fallbacks[id])
    chain.push(id);
  return chain;
}
