/** Fault kinds × decisions: how often each decision was reached after each kind of fault. */
import { styleText } from 'node:util';
import type { Decision, Reached } from '../../src/testing/world/decisions.ts';
import { DECISIONS } from '../../src/testing/world/decisions.ts';
import type { FaultKind } from '../../src/testing/world/scenario.ts';
import { FAULT_KINDS } from '../../src/testing/world/scenario.ts';

type Column = FaultKind | 'none';
export type Cell = { readonly decision: Decision; readonly fault: Column };

const COLUMNS: readonly Column[] = ['none', ...FAULT_KINDS];

/** Cells that no world can reach. */
const IMPOSSIBLE: readonly (Cell & { readonly because: string })[] = [
  { decision: 'hold-for-disk', fault: 'none', because: 'only a full disk holds a run' },
  { decision: 'refuse-for-disk', fault: 'none', because: 'only a full disk refuses a run' },
  { decision: 'cool', fault: 'none', because: 'only a limit lets an agent rest' },
  { decision: 'rest', fault: 'none', because: 'only a limit is waited for' },
  { decision: 'restart', fault: 'none', because: 'only a crash is followed by one' },
];

function isImpossible({ decision, fault }: Cell): boolean {
  return IMPOSSIBLE.some((cell) => cell.decision === decision && cell.fault === fault);
}

function countOf(reached: Reached, { decision, fault }: Cell): number {
  return reached.get(decision)?.get(fault) ?? 0;
}

/** What should have been reached and was not. */
export function zeroCells(reached: Reached): readonly Cell[] {
  return DECISIONS.flatMap((decision) => COLUMNS.map((fault) => ({ decision, fault }))).filter(
    (cell) => countOf(reached, cell) === 0 && !isImpossible(cell),
  );
}

const NAME_WIDTH = Math.max(...DECISIONS.map(({ length }) => length));
const WIDTH = 10;

export function coverageTable(reached: Reached): readonly string[] {
  const words = COLUMNS.map((column) => column.split('-'));
  const head = [0, 1, 2].map(
    (line) =>
      ' '.repeat(NAME_WIDTH) + words.map((parts) => (parts[line] ?? '').padStart(WIDTH)).join(''),
  );
  const rows = DECISIONS.map(
    (decision) =>
      decision.padEnd(NAME_WIDTH) +
      COLUMNS.map((fault) =>
        cellText({ decision, fault }, countOf(reached, { decision, fault })),
      ).join(''),
  );
  return [...head, ...rows];
}

function cellText(cell: Cell, count: number): string {
  if (count > 0) return count.toString().padStart(WIDTH);
  return isImpossible(cell) ? '–'.padStart(WIDTH) : styleText('red', '✖ 0'.padStart(WIDTH));
}
