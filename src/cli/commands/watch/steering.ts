import type { Command } from 'commander';
import { Refusal } from '../../../base/errors.ts';
import { formatClockTime } from '../../../base/format-time.ts';
import { plural } from '../../../base/text.ts';
import type {
  ThresholdChanges,
  ThresholdName,
} from '../../../protocol/contracts/steering-contract.ts';
import { THRESHOLDS } from '../../../protocol/contracts/steering-contract.ts';
import {
  steeringReplayDocument,
  steeringReportDocument,
} from '../../../public-json/steering-documents.ts';
import type { Share, SteeringRow } from '../../../reports/steering-report.ts';
import { steeringReport } from '../../../reports/steering-report.ts';
import { replayTurns } from '../../../steering/replay.ts';
import type { ReplayedAnomaly } from '../../../turns/replayed-anomaly.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import type { TableColumn } from '../../format/text-table.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { collect, listLimit } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { readSteeringCases, readWatchedRun } from '../../runs/read-steering.ts';

const RUNS_READ = 200;

export function addSteering(program: Command, context: CliContext, finish: CommandEnding): void {
  const steering = program
    .command('steering')
    .description('Show what goes wrong in the turns of agents, and whether telling them helps')
    .addHelpText('after', HELP);
  steering
    .command('replay')
    .description('Show what would have been found in the recorded turns of a run')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('--set <name=value>', 'use another threshold, such as stall.turns=20', collect, [])
    .option('--json', 'print JSON', false)
    .action(async (reference: string, options: { set: readonly string[]; json: boolean }) => {
      const changes = Object.assign({}, ...options.set.map(parseThreshold)) as ThresholdChanges;
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRun(context, client, reference);
      const { turns, steering: pinned, role } = await readWatchedRun(client, run);
      const thresholds = { ...pinned.thresholds, ...changes };
      const found = replayTurns(turns, { ...pinned, thresholds }, { run, role });
      if (options.json)
        printJson(context, steeringReplayDocument(run, turns.length, changes, found));
      else context.out(formatReplay(context, turns.length, found));
      finish(EXIT.ok);
    });
  steering
    .command('report', { isDefault: true })
    .description('Show how often each detector found something, and whether telling the agent pays')
    .option(
      '-n, --limit <count>',
      'read only so many of the newest ended runs (default: 200)',
      listLimit,
    )
    .option('--json', 'print JSON', false)
    .action(async ({ limit = RUNS_READ, json }: { limit?: number; json: boolean }) => {
      await using connection = await connectOwner(context);
      const { cases, runs } = await readSteeringCases(connection.client, limit);
      const rows = steeringReport(cases);
      if (json) printJson(context, steeringReportDocument(runs, rows));
      else context.out(formatReport(context, runs, rows));
      finish(EXIT.ok);
    });
}

const HELP = `
Examples:
  supervisor steering report
  supervisor steering replay last --set stall.turns=20`;

function parseThreshold(written: string): ThresholdChanges {
  const [name = '', value = ''] = written.split('=', 2);
  if (!Object.hasOwn(THRESHOLDS, name)) throw unknownThreshold(name);
  const { least, most } = THRESHOLDS[name as ThresholdName];
  const number = /^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return { [name]: number };
  throw new Refusal({
    code: 'usage.invalid',
    message: `${name} cannot be ${JSON.stringify(value)}.`,
    hint: `Use a number from ${least} to ${most}.`,
  });
}

function unknownThreshold(name: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `There is no threshold ${JSON.stringify(name)}.`,
    hint: `Use one of: ${Object.keys(THRESHOLDS).join(', ')}.`,
  });
}

function formatReplay(
  context: CliContext,
  turns: number,
  found: readonly ReplayedAnomaly[],
): string {
  if (found.length === 0)
    return turns === 0
      ? 'No turn is recorded.\n'
      : `Nothing is found in ${plural(turns, 'turn')}.\n`;
  const now = context.clock.now();
  const rows = found.map(({ attempt, turn, at, detector, message }) => [
    ...[printable(attempt), String(turn), formatClockTime(at, now), detector, printable(message)],
  ]);
  const columns: readonly TableColumn[] = [
    { title: 'attempt', canHide: true },
    { title: 'turn', isRight: true },
    { title: 'time' },
    { title: 'detector' },
    { title: 'message', least: 20 },
  ];
  return table(context, columns, rows);
}

function formatReport(context: CliContext, runs: number, rows: readonly SteeringRow[]): string {
  if (rows.length === 0) return `Nothing was found in ${plural(runs, 'ended run')}.\n`;
  const cells = rows.map((row) => [
    row.detector,
    printable(row.model === '' ? '-' : row.model),
    row.channel,
    String(row.cases),
    percents(row.p),
    percents(row.failsWhenTold),
    ...[row.r, row.d, row.pStar].map(percent),
    VERDICTS[row.verdict],
  ]);
  const columns: readonly TableColumn[] = [
    { title: 'detector' },
    { title: 'model', least: 10 },
    { title: 'channel' },
    { title: 'n', isRight: true },
    { title: 'p' },
    { title: 'p if told' },
    { title: 'r', isRight: true },
    { title: 'd', isRight: true },
    { title: 'p*', isRight: true },
    { title: 'a message', least: 10 },
  ];
  return table(context, columns, cells);
}

const VERDICTS: Readonly<Record<SteeringRow['verdict'], string>> = {
  'too-few-cases': 'has too few cases',
  'not-tried': 'was never sent',
  pays: 'pays',
  'does-not-pay': 'does not pay',
  unclear: 'has no clear effect',
};

function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}

function percents(share: Share | null): string {
  if (share === null) return '-';
  return `${percent(share.share)} (${Math.round(share.low * 100)}–${Math.round(share.high * 100)})`;
}

function table(
  context: CliContext,
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): string {
  const { head, rows: cells } = layOutTable(context.terminal, columns, rows);
  return [paint(context, 'bold', joinCells(head)), ...cells.map(joinCells)]
    .map((line) => `${line}\n`)
    .join('');
}
