import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Argument } from 'commander';
import type { Command } from 'commander';
import { explainSettings } from '../../config/explain.ts';
import {
  configJsonSchema,
  roleJsonSchema,
  strategyJsonSchema,
} from '../../settings/file-schemas.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { openTrusted, UNTRUSTED_OPTION } from '../ask-trust.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { stateHome } from '../connect-owner.ts';

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
    .option('-p, --project <dir>', 'the project folder (default: the current folder)')
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
        project: await openTrusted(context, resolve(context.cwd, project ?? '.'), { untrusted }),
        userDir: homedir(),
        flags: { set },
        readFile: readTextFile,
      });
      const lines = explainSettings(loaded);
      if (json) context.out(`${JSON.stringify(lines, null, 2)}\n`);
      else
        for (const { key, value, origin } of lines) context.out(line(context, key, value, origin));
      for (const warning of loaded.warnings)
        context.err(`${paint(context, 'yellow', 'warning')} ${warning}\n`);
      finish(0);
    });
}

const SCHEMAS = {
  config: configJsonSchema,
  role: roleJsonSchema,
  strategy: strategyJsonSchema,
} as const;

export function addSchema(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('schema')
    .description('Print a JSON Schema for editors, for completion and checks')
    .addArgument(new Argument('<what>', 'the file that it describes').choices(Object.keys(SCHEMAS)))
    .action((what: keyof typeof SCHEMAS) => {
      context.out(`${JSON.stringify(SCHEMAS[what](), null, 2)}\n`);
      finish(0);
    });
}

function line(context: CliContext, key: string, value: unknown, origin: string): string {
  return `${key.padEnd(32)} ${printable(JSON.stringify(value)).padEnd(14)} ${paint(context, 'dim', origin)}\n`;
}
