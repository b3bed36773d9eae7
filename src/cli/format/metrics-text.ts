/** The text of `supervisor metrics`: a table of the groups, the failures over time, and the table as CSV. */
import { formatDuration } from '../../base/format-duration.ts';
import type { MetricsRow, MetricsView } from '../../protocol/views/metrics-view.ts';
import { costWords, dollars } from '../../reports/cost-words.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import { shortCount } from './short-count.ts';
import { joinCells, layOutTable, placesThatFit } from './text-table.ts';

const COLUMNS = [
  { title: '', least: 10 },
  { title: 'attempts', isRight: true },
  { title: 'completed', isRight: true },
  { title: 'verified', isRight: true },
  { title: 'retries', isRight: true, canHide: true },
  { title: 'median', isRight: true, canHide: true },
  { title: 'tokens', isRight: true, canHide: true },
  { title: 'cost', isRight: true },
  { title: 'per verified', isRight: true, canHide: true },
] as const;

const LIMITS: readonly string[] = [
  'Completed: the agent said that it was done. Verified: every gate on its work was green, of the work that a gate judged.',
  'A range holds the true share in 95 of 100 such tables. Where two ranges overlap, the difference may be chance.',
];

export function formatMetrics(context: CliContext, view: MetricsView): string {
  const { by, rows, total, leftOut } = view;
  if (total.attempts === 0)
    return 'No attempt has ended in this time. Look further back with --last 90d.\n';
  const columns = COLUMNS.map((column, nth) => (nth === 0 ? { ...column, title: by } : column));
  const cells = [...rows, ...(rows.length > 1 ? [{ ...total, name: 'all' }] : [])].map(cellsOf);
  const places = placesThatFit(context.terminal, columns, cells);
  const pick = <Item>(items: readonly Item[]): Item[] =>
    places.flatMap((place) => items[place] ?? []);
  const table = layOutTable(context.terminal, pick(columns), cells.map(pick));
  const lines = table.rows.map(([name = '', ...rest]) =>
    joinCells([paint(context, 'cyan', name), ...rest]),
  );
  const best = rows.filter(({ isBest }) => isBest).map(nameOf);
  const notes = [
    ...bestWords(best),
    ...retryWords(view),
    ...timeWords(view),
    ...failureLines(view),
  ];
  const limits = [
    ...LIMITS,
    ...(leftOut === 0 ? [] : [`${leftOut} older attempts are not counted.`]),
  ];
  return `${[
    paint(context, 'dim', joinCells(table.head)),
    ...lines,
    '',
    ...notes,
    ...limits.map((line) => paint(context, 'dim', line)),
  ].join('\n')}\n`;
}

function bestWords(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const each = names.length === 1 ? 'It has' : 'Each of them has';
  return [`Best: ${names.join(', ')}. ${each} the highest share that is still plausible at worst.`];
}

function cellsOf(row: MetricsRow): readonly string[] {
  const { costUsd, costPartial, costPerVerifiedUsd, medianMs, tokens } = row;
  const cost = costWords({ usd: costUsd, isPartial: costPartial });
  return [
    nameOf(row),
    String(row.attempts),
    shareWords(row.completed, row.ended, row.completedShare),
    shareWords(row.verified, row.judged, row.verifiedShare),
    String(row.retries),
    medianMs === null ? '-' : formatDuration(medianMs),
    tokens === null ? '-' : shortCount(tokens),
    cost === '' ? '-' : cost.replace('cost unknown', 'unknown').replace('at least ', '≥'),
    costPerVerifiedUsd === null ? '-' : dollars(costPerVerifiedUsd),
  ];
}

function nameOf({ name }: MetricsRow): string {
  return name === null ? 'none' : printable(name);
}

/** `12 of 14 (60-96 %)`; the number of cases is always there. */
function shareWords(count: number, cases: number, share: MetricsRow['completedShare']): string {
  if (share === null) return '-';
  const [low, high] = [share.low, share.high].map((one) => Math.round(one * 100));
  return `${count} of ${cases} (${low}-${high} %)`;
}

/** More retries than this for each run mean that a role, not an agent, has a problem. */
const RETRIES_MAX = 2;
/** Fewer runs say too little. */
const RUNS_MIN = 5;

function retryWords({ by, rows }: MetricsView): string[] {
  if (by !== 'role') return [];
  return rows
    .filter(({ runs, retries }) => runs >= RUNS_MIN && retries > RETRIES_MAX * runs)
    .map(
      (row) =>
        `${nameOf(row)} needs ${(row.retries / row.runs).toFixed(1)} retries for each run: change its instructions, its gates or its agent.`,
    );
}

function timeWords({ total, utilization, saturation, amplification }: MetricsView): string[] {
  const { modelMs, toolMs, throttledMs, queuedMs, durationMs } = total;
  const parts = [
    `agents worked for ${formatDuration(durationMs)}`,
    ...(modelMs === null || toolMs === null
      ? []
      : [`${formatDuration(modelMs)} of it in model calls and ${formatDuration(toolMs)} in tools`]),
    `runs waited ${formatDuration(throttledMs)} for limits and retries`,
    `${formatDuration(queuedMs)} for a free place`,
  ];
  const ratios = [
    ...(utilization === null ? [] : [`utilization ${percent(utilization)}`]),
    ...(saturation === null ? [] : [`saturation ${percent(saturation)}`]),
    ...(amplification === null ? [] : [`${amplification.toFixed(1)} attempts for each run`]),
  ];
  return [`Time: ${parts.join(', ')}.`, ...(ratios.length === 0 ? [] : [sentence(ratios)])];
}

function sentence(words: readonly string[]): string {
  const text = words.join(', ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function failureLines({ failures }: MetricsView): string[] {
  if (failures.length === 0) return [];
  return [
    'Failures, and how many in each sixth of the time:',
    ...failures.map(
      ({ reason, attempts, counts }) => `  ${printable(reason)} ${attempts}: ${counts.join(' ')}`,
    ),
  ];
}

const CSV_COLUMNS: readonly (readonly [
  title: string,
  (row: MetricsRow) => string | number | null,
])[] = [
  ['name', ({ name }) => name],
  ['attempts', ({ attempts }) => attempts],
  ['runs', ({ runs }) => runs],
  ['ended', ({ ended }) => ended],
  ['completed', ({ completed }) => completed],
  ['completed_low', ({ completedShare }) => completedShare?.low ?? null],
  ['completed_high', ({ completedShare }) => completedShare?.high ?? null],
  ['judged', ({ judged }) => judged],
  ['verified', ({ verified }) => verified],
  ['verified_low', ({ verifiedShare }) => verifiedShare?.low ?? null],
  ['verified_high', ({ verifiedShare }) => verifiedShare?.high ?? null],
  ['retries', ({ retries }) => retries],
  ['duration_ms', ({ durationMs }) => durationMs],
  ['median_duration_ms', ({ medianMs }) => medianMs],
  ['model_ms', ({ modelMs }) => modelMs],
  ['tool_ms', ({ toolMs }) => toolMs],
  ['throttled_ms', ({ throttledMs }) => throttledMs],
  ['queued_ms', ({ queuedMs }) => queuedMs],
  ['total_tokens', ({ tokens }) => tokens],
  ['cost_usd', ({ costUsd, costPartial }) => (costPartial ? null : costUsd)],
  ['known_cost_usd', ({ costUsd }) => costUsd],
  ['cost_per_verified_usd', ({ costPerVerifiedUsd }) => costPerVerifiedUsd],
];

/** One line for each group. An unknown value is empty. */
export function metricsCsv({ rows }: MetricsView): string {
  const lines = [
    CSV_COLUMNS.map(([title]) => title),
    ...rows.map((row) => CSV_COLUMNS.map(([, read]) => csvCell(read(row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\n`).join('');
}

/** A spreadsheet would run a text that begins with one of these as a formula. */
function csvCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
