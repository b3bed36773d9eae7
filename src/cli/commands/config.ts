import type { Command } from 'commander';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import { explainSettings } from '../../config/explain.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../ask-trust.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { stateHome } from '../connect-owner.ts';
import { printJson } from '../print-json.ts';
import { PROJECT_OPTION, projectDir } from '../project-path.ts';

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
      for (const { key, value, origin } of lines) context.out(line(context, key, value, origin));
      for (const warning of loaded.warnings)
        context.err(`${paint(context, 'yellow', 'warning')} ${warning}\n`);
      finish(0);
    });
}

function line(context: CliContext, key: string, value: unknown, origin: string): string {
  return `${key.padEnd(32)} ${printable(JSON.stringify(value)).padEnd(14)} ${paint(context, 'dim', origin)}\n`;
}
