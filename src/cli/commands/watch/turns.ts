import type { Command } from 'commander';
import { formatClockTime } from '../../../base/format-time.ts';
import { turnsDocument } from '../../../public-json/turns-document.ts';
import { contextFill } from '../../../turns/context-fill.ts';
import type { ListedCall, ListedTurn } from '../../../turns/list-turns.ts';
import { listTurns } from '../../../turns/list-turns.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { printJson } from '../../json/print-json.ts';
import { readTurns } from '../../runs/read-turns.ts';

export function addTurns(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('turns')
    .description('List the turns of a run: each tool call, its result, and how full the context is')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExamples:\n  supervisor turns\n  supervisor turns 0123456789 --json')
    .action(async (reference: string, { json }: { json: boolean }) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const run = await findRun(context, client, reference);
      const turns = listTurns(await readTurns(client, run));
      if (json) printJson(context, turnsDocument(run, turns));
      else context.out(table(context, turns));
      finish(EXIT.ok);
    });
}

const COLUMNS = [
  { title: 'attempt', canHide: true },
  { title: 'turn', isRight: true },
  { title: 'time' },
  { title: 'context', isRight: true },
  { title: 'result' },
  { title: 'what', least: 20 },
] as const;

function table(context: CliContext, turns: readonly ListedTurn[]): string {
  if (turns.length === 0) return 'No turn is recorded.\n';
  const rows = turns.flatMap((turn) => turnRows(turn, context.clock.now()));
  const { head, rows: cells } = layOutTable(context.terminal, COLUMNS, rows);
  return [paint(context, 'bold', joinCells(head)), ...cells.map(joinCells)]
    .map((line) => `${line}\n`)
    .join('');
}

/** One row for each call. A turn without one shows what the model said. */
function turnRows(turn: ListedTurn, now: number): readonly (readonly string[])[] {
  const { attempt, number, at, kind, calls, text } = turn;
  const fill = contextFill(turn);
  const percent = fill === null ? '-' : `${Math.round(fill * 100)} %`;
  const place = kind === 'sub' ? `${number} (sub)` : String(number);
  const first = [printable(attempt), place, formatClockTime(at, now), percent];
  const said = printable(text === '' ? '(no text)' : text);
  const whats =
    calls.length === 0 ? [['-', said]] : calls.map((call) => [resultWord(call), describe(call)]);
  return whats.map((what, nth) => [...(nth === 0 ? first : ['', '', '', '']), ...what]);
}

function resultWord({ result }: ListedCall): string {
  if (result === null) return '-';
  return result.error ?? (result.waits === true ? 'waits' : 'ok');
}

function describe({ tool, subject }: ListedCall): string {
  return printable(subject === undefined ? tool : `${tool} ${subject}`);
}
