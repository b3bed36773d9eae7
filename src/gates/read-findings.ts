/** What a gate has written about its tests and its coverage, and why that makes it red. */
import { plural } from '../base/text.ts';
import type { CoverageFigures, GateBasis } from '../protocol/contracts/gate-contract.ts';
import type { PinnedGate } from '../protocol/pinned-settings.ts';
import {
  countLines,
  countLinesOf,
  percentOf,
  readCoverage,
  unlistedFiles,
  withoutOutside,
} from '../test-reports/coverage-report.ts';
import type { LineCount } from '../test-reports/coverage-report.ts';
import { readJunit } from '../test-reports/junit-report.ts';
import { readTap } from '../test-reports/tap-report.ts';
import type { AddedLines } from '../workspace/added-lines.ts';
import type { ReadWritten } from './declared-files.ts';
import { STDOUT } from './declared-files.ts';

export type GateFindings = {
  readonly basis: Pick<GateBasis, 'failures' | 'coverage'>;
  /** Why the gate is red whatever its exit code; empty: it is not. */
  readonly reds: readonly string[];
};

const NOTHING: GateFindings = { basis: {}, reds: [] };

/** `stdout` is what a red gate printed there, or any gate whose report is to be found in it. */
export async function readTestReport(
  { report }: Pick<PinnedGate, 'report'>,
  read: ReadWritten,
  stdout: string,
): Promise<GateFindings> {
  if (report === undefined) return { basis: failuresOfTap(stdout), reds: [] };
  const file = report === STDOUT ? ({ kind: 'text', text: stdout } as const) : await read(report);
  if (file.kind === 'missing') return { basis: {}, reds: [file.why] };
  return judgeReport(report, file.text);
}

/** Node 20 and others print TAP by themselves. The exit code decides. The first failures only say what to look at. */
function failuresOfTap(stdout: string): Pick<GateBasis, 'failures'> {
  const { failures = [] } = (TAP_HEAD.test(stdout) ? readTap(stdout) : undefined) ?? {};
  return failures.length === 0 ? {} : { failures };
}

const TAP_HEAD = /^TAP version \d+$/m;

/** A report in a file is JUnit XML or TAP, as its text shows. */
export function judgeReport(report: string, text: string): GateFindings {
  const name = report === STDOUT ? 'its output' : `its report ${report}`;
  const found = (report === STDOUT ? undefined : readJunit(text)) ?? readTap(text);
  const formats = report === STDOUT ? 'no TAP' : 'neither JUnit XML nor TAP';
  if (found === undefined) return { basis: {}, reds: [`${name} is ${formats}`] };
  const { failed, failures, broken } = found;
  return {
    basis: failures.length === 0 ? {} : { failures },
    reds: [
      ...(failed > 0 || failures.length > 0
        ? [`${name} has ${plural(Math.max(failed, 1), 'failed test')}`]
        : []),
      ...(broken === undefined ? [] : [`${name} is not whole: ${broken}`]),
    ],
  };
}

/** `startsIn` is the folder that the gate started in. `changed` are the lines that the work has added or changed. */
export async function checkCoverage(
  { coverage: wanted }: Pick<PinnedGate, 'coverage'>,
  startsIn: string,
  read: ReadWritten,
  changed: () => Promise<AddedLines>,
): Promise<GateFindings> {
  if (wanted === undefined) return NOTHING;
  const file = await read(wanted.file);
  if (file.kind === 'missing') return { basis: {}, reds: [file.why] };
  const found = withoutOutside(readCoverage(file.text, wanted.format) ?? new Map(), startsIn);
  if (found.size === 0)
    return { basis: {}, reds: [`its ${wanted.file} has no lines of ${wanted.format}`] };
  const all = countLines(found);
  const lines = await changed();
  const unlisted = unlistedFiles(found, lines.keys()).slice(0, UNLISTED_MAX);
  return judgeCoverage(all, { ...countLinesOf(found, lines), unlisted }, wanted);
}

const UNLISTED_MAX = 100;

export function judgeCoverage(
  all: LineCount,
  { unlisted, ...ofChange }: LineCount & { readonly unlisted: readonly string[] },
  { min, changedMin }: Pick<NonNullable<PinnedGate['coverage']>, 'min' | 'changedMin'>,
): GateFindings {
  const coverage: CoverageFigures = {
    percent: rounded(all),
    ...(ofChange.found === 0 ? {} : { changedPercent: rounded(ofChange) }),
    ...(unlisted.length === 0 ? {} : { unlisted }),
  };
  const low = (what: string, count: LineCount, bound: number): readonly string[] =>
    percentOf(count) >= bound
      ? []
      : [
          `${what} is ${rounded(count)} % (${count.hit} of ${plural(count.found, 'line')}), below the minimum of ${bound} %`,
        ];
  return {
    basis: { coverage },
    reds: [
      ...low('coverage', all, min),
      ...(changedMin === undefined
        ? []
        : low('coverage of the changed lines', ofChange, changedMin)),
    ],
  };
}

/** To a tenth, downwards: 79.96 % is not 80 %. */
function rounded(count: LineCount): number {
  return Math.floor(percentOf(count) * 10) / 10;
}
