import { plural } from '../base/text.ts';
import type { Backend } from './policy.ts';
import type { ProbeReport, ProbeRow } from './probes/run-probes.ts';
import { didHold } from './probes/run-probes.ts';

type Paint = (text: string, style: 'bold' | 'dim' | 'red' | 'green' | 'yellow') => string;

const MARKS = { good: '✓', bad: '✗', unknown: '?', known: '~' } as const;
const STYLES = { good: 'green', bad: 'red', unknown: 'yellow', known: 'yellow' } as const;
const ID_WIDTH = 24;

/** Renders one line per probe and one column per backend. */
export function renderMatrix(
  reports: readonly ProbeReport[],
  skipped: readonly { readonly backend: Backend; readonly why: string }[],
  paint: Paint,
): string {
  const rows = [
    ...new Map(reports.flatMap((report) => report.rows).map((row) => [row.id, row])).values(),
  ];
  const widths = reports.map(({ backend }) => backend.length);
  const cells = (row: ProbeRow): string =>
    reports
      .map((report, column) => {
        const verdict = report.rows.find(({ id }) => id === row.id)?.verdict ?? 'unknown';
        return paint(MARKS[verdict].padEnd(widths[column] ?? 0), STYLES[verdict]);
      })
      .join('  ');
  const heading = reports.map(({ backend }) => backend).join('  ');
  const areas = [...new Set(rows.map(({ area }) => area))];
  const lines = areas.flatMap((area) => [
    `${paint(area.padEnd(ID_WIDTH), 'bold')} ${paint(heading, 'dim')}`,
    ...rows
      .filter((row) => row.area === area)
      .map((row) => `${row.id.padEnd(ID_WIDTH)} ${cells(row)}  ${paint(`to ${row.tries}`, 'dim')}`),
    '',
  ]);
  return [
    ...lines,
    ...reports.flatMap((report) => conclusion(report, paint)),
    ...skipped.map(({ backend, why }) => `– ${backend}: ${why}`),
    paint('✓ as promised, ~ differs for a known reason, ? not tried, ✗ does not hold', 'dim'),
    '',
  ].join('\n');
}

function conclusion(report: ProbeReport, paint: Paint): readonly string[] {
  const { backend, failure, enforced, rows, hits, secretSeen } = report;
  if (failure !== null) return [`${paint('✗', 'red')} ${backend}: ${failure}`];
  const isHolding = didHold(report);
  const mark = isHolding ? paint('✓', 'green') : paint('✗', 'red');
  const bad = rows.filter(({ verdict }) => verdict === 'bad').length;
  const known = rows.flatMap(({ verdict, id, note }) =>
    verdict === 'known' ? [`  ~ ${id}: ${note}`] : [],
  );
  const unenforced = Object.entries(enforced ?? {}).flatMap(([what, how]) =>
    how === 'none' ? [what] : [],
  );
  const perProcess = Object.entries(enforced ?? {}).flatMap(([what, how]) =>
    how === 'rlimit' ? [what] : [],
  );
  return [
    isHolding
      ? `${mark} ${backend} holds: ${plural(rows.length, 'try', 'tries')}, ${plural(hits, 'connection')} got out`
      : `${mark} ${backend} does not hold: ${bad} of ${plural(rows.length, 'try', 'tries')}, ${plural(hits, 'connection')} got out${secretSeen ? ', and so did a secret' : ''}`,
    ...known,
    ...(unenforced.length === 0
      ? []
      : [`  not enforced on this machine: ${unenforced.join(', ')}`]),
    ...(perProcess.length === 0 ? [] : [`  enforced without a cgroup: ${perProcess.join(', ')}`]),
  ];
}
