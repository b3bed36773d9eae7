import { resolve } from 'node:path';
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { plural } from '../../../base/text.ts';
import { absentRefusal, isAbsent } from '../../../client/absent-home.ts';
import { exportToFile, importFromFile } from '../../../client/journal-file.ts';
import type { JsonDocument } from '../../../public-json/documents.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { ownerOptions, stateHome } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { printJson } from '../../json/print-json.ts';

export function addJournal(program: Command, context: CliContext, finish: CommandEnding): void {
  const journal = program
    .command('journal')
    .description('Copy the journal of this home to a file, or import one: to move it to a database')
    .addHelpText('after', HELP);
  const options = (): ReturnType<typeof ownerOptions> => ownerOptions(context, () => undefined);
  journal
    .command('export')
    .description('Write the whole journal to a new file, one line for each event')
    .argument('<file>', 'the file; it must not exist')
    .option('--json', 'print JSON', false)
    .action(async (file: string, { json }: { readonly json: boolean }) => {
      const home = stateHome(context);
      if (isAbsent(home)) throw absentRefusal(home);
      const path = resolve(context.cwd, file);
      const { facts, journal: from } = await exportToFile(options(), path);
      if (json) printJson(context, copyDocument({ facts, file: path, journal: from }));
      else
        context.out(
          `Exported ${plural(facts, 'event')} from ${printable(from)} to ${printable(file)}.\n`,
        );
      finish(EXIT.ok);
    });
  journal
    .command('import')
    .description('Make the events of such a file the journal of this home, which has no runs yet')
    .argument('<file>', 'a file that `journal export` wrote')
    .option('--db <url>', 'into this PostgreSQL database, and keep the journal there')
    .option('--file', 'into the file journal.db, and keep the journal there', false)
    .option('--json', 'print JSON', false)
    .action(
      async (
        file: string,
        { db, file: intoFile, json }: { db?: string; file: boolean; json: boolean },
      ) => {
        if (db !== undefined && intoFile) throw oneTarget();
        const path = resolve(context.cwd, file);
        const target = { file: intoFile, ...defined({ db }) };
        const { facts, journal: to } = await importFromFile(options(), target, path);
        if (json) printJson(context, copyDocument({ facts, file: path, journal: to }));
        else
          context.out(
            `Imported ${plural(facts, 'event')}. The journal of this home is in ${printable(to)}.\n`,
          );
        finish(EXIT.ok);
      },
    );
}

const HELP = `
Both need that no owner runs. Both check every event, and do all of their work or nothing. Files of runs, such as
workspaces and output, stay in the home.

Examples, from the file of the home to a database, and back:
  supervisor down
  supervisor journal export runs.jsonl
  supervisor journal import runs.jsonl --db postgres://me@db.example/supervisor
  supervisor up --detach`;

function copyDocument(
  fields: Omit<JsonDocument<'journal-copy'>, 'schema'>,
): JsonDocument<'journal-copy'> {
  return { schema: 'supervisor.journal-copy/1', ...fields };
}

function oneTarget(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--db and --file are different places.',
    hint: 'Use one of them.',
  });
}
