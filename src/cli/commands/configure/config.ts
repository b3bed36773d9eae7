import type { Command } from 'commander';
import { userHomeFolder } from '../../../host/machine/account-home.ts';
import type { Explained } from '../../../config/explain.ts';
import { explainSettings } from '../../../config/explain.ts';
import { loadSettings } from '../../../config/load-settings.ts';
import { readTextFile } from '../../../host/files/read-text-file.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../../ask/ask-trust.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { stateHome } from '../../connect-owner.ts';
import { joinCells, layOutTable } from '../../format/text-table.ts';
import { printJson } from '../../json/print-json.ts';
import { PROJECT_OPTION, projectDir } from '../../input/project-path.ts';

type Options = {
  readonly project?: string;
  readonly set: readonly string[];
  readonly untrusted: boolean;
  readonly json: boolean;
};

export function addConfig(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('config')
    .description('Show every setting that a run has here, and where it comes from')
    .option(...PROJECT_OPTION)
    .option(
      '-s, --set <key=value>',
      'override a setting, as for run; repeatable',
      (value, before: string[]) => [...before, value],
      [],
    )
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .action(async ({ project, set, untrusted, json }: Options) => {
      const loaded = await loadSettings({
        home: stateHome(context).dir,
        project: await openTrusted(context, projectDir(context, project), { untrusted }),
        userDir: userHomeFolder(),
        flags: { set },
        readFile: readTextFile,
      });
      const lines = explainSettings(loaded);
      if (json) {
        const warnings = [...loaded.warnings];
        const settings = lines.map(({ key, value, origin }) => ({ key, value, origin }));
        printJson(context, { schema: 'supervisor.settings/1', settings, warnings });
        return finish(0);
      }
      context.out(formatSettings(context, lines));
      for (const warning of loaded.warnings)
        context.err(`${paint(context, 'yellow', 'warning')} ${warning}\n`);
      finish(0);
    });
}

const VALUE_CHARS_MAX = 24;

/** A longer value moves its origin to the right, and the other lines stay aligned. */
function formatSettings(context: CliContext, settings: readonly Explained[]): string {
  const columns = [{ title: 'SETTING' }, { title: 'VALUE' }];
  const cells = settings.map(({ key, value }) => [key, printable(JSON.stringify(value))]);
  const short = cells.filter(([, value = '']) => value.length <= VALUE_CHARS_MAX);
  const { head } = layOutTable(context.terminal, columns, short);
  const [keyWidth = 0, valueWidth = 0] = head.map((title) => title.length);
  const line = ([key = '', value = '']: readonly string[], origin: string): string =>
    joinCells([key.padEnd(keyWidth), value.padEnd(valueWidth), origin]);
  const titles = context.terminal.isTty
    ? [paint(context, 'dim', line(['SETTING', 'VALUE'], 'FROM'))]
    : [];
  const lines = settings.map(({ origin }, nth) =>
    line(cells[nth] ?? [], paint(context, 'dim', origin)),
  );
  return [...titles, ...lines].map((text) => `${text}\n`).join('');
}
