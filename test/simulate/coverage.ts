/** Fault kinds × decisions: how often each decision was reached after each kind of fault. */
import { styleText } from 'node:util';
import type { ReachedDecision, DecisionCount } from './world/decisions.ts';
import { DECISIONS } from './world/decisions.ts';
import type { AgentDecision } from './world/agent-decisions.ts';
import { AGENT_DECISIONS } from './world/agent-decisions.ts';
import { TURN_FAULTS } from './world/agents-scenario.ts';
import type { FaultKind } from './world/scenario.ts';
import { FAULT_KINDS } from './world/scenario.ts';

type Column = FaultKind | 'none';
type Row = ReachedDecision | AgentDecision;
export type Cell = { readonly decision: Row; readonly fault: Column };

/** One table for runs, and one for long-lived agents. */
const TABLES: readonly { readonly rows: readonly Row[]; readonly columns: readonly Column[] }[] = [
  { rows: DECISIONS, columns: ['none', ...FAULT_KINDS] },
  { rows: AGENT_DECISIONS, columns: ['none', ...FAULT_KINDS, ...TURN_FAULTS] },
];

/** Cells that no world can reach. */
const IMPOSSIBLE: readonly (Cell & { readonly because: string })[] = [
  { decision: 'verify-known', fault: 'none', because: 'only a red gate is known' },
  {
    decision: 'finish-refused',
    fault: 'none',
    because: "only a gate that can't run refuses a run",
  },
  { decision: 'hold-for-disk', fault: 'none', because: 'only a full disk holds a run' },
  { decision: 'refuse-for-disk', fault: 'none', because: 'only a full disk refuses a run' },
  { decision: 'set-cooldown', fault: 'none', because: 'only a limit makes an agent cool down' },
  { decision: 'rest', fault: 'none', because: 'only a limit is waited for' },
  { decision: 'restart', fault: 'none', because: 'only a crash is followed by one' },
  { decision: 'agent-interrupted', fault: 'none', because: 'only a dead owner interrupts a turn' },
  { decision: 'agent-rest', fault: 'none', because: 'only a limit is waited for' },
];

function isImpossible({ decision, fault }: Cell): boolean {
  return IMPOSSIBLE.some((cell) => cell.decision === decision && cell.fault === fault);
}

function countOf(reached: DecisionCount, { decision, fault }: Cell): number {
  return reached.get(decision)?.get(fault) ?? 0;
}

/** Cells that should have been reached and were not. */
export function zeroCells(reached: DecisionCount): readonly Cell[] {
  return TABLES.flatMap(({ rows, columns }) =>
    rows.flatMap((decision) => columns.map((fault) => ({ decision, fault }))),
  ).filter((cell) => countOf(reached, cell) === 0 && !isImpossible(cell));
}

const NAME_WIDTH = Math.max(...TABLES.flatMap(({ rows }) => rows.map(({ length }) => length)));
const WIDTH = 10;

/** `demands`: a cell with a zero is a failure. */
export function coverageTable(reached: DecisionCount, demands = true): readonly string[] {
  return TABLES.flatMap(({ rows, columns }) => {
    const words = columns.map((column) => column.split('-'));
    const head = [0, 1, 2].map(
      (line) =>
        ' '.repeat(NAME_WIDTH) + words.map((parts) => (parts[line] ?? '').padStart(WIDTH)).join(''),
    );
    const body = rows.map(
      (decision) =>
        decision.padEnd(NAME_WIDTH) +
        columns
          .map((fault) =>
            cellText({ decision, fault }, countOf(reached, { decision, fault }), demands),
          )
          .join(''),
    );
    return [...head, ...body];
  });
}

function cellText(cell: Cell, count: number, demands: boolean): string {
  if (count > 0 || (!demands && !isImpossible(cell))) return count.toString().padStart(WIDTH);
  return isImpossible(cell) ? '–'.padStart(WIDTH) : styleText('red', '✖ 0'.padStart(WIDTH));
}
