import { plural } from '../../../base/text.ts';
import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { RunArtifacts } from '../../../protocol/api.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CliContext } from '../../cli-context.ts';
import { paint, printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { LAST_RUN, RUN_ARGUMENT, findRun } from '../../runs/find-runs.ts';
import { artifactsDocument } from '../../../public-json/work-documents.ts';
import { printJson } from '../../json/print-json.ts';

type Options = { readonly out?: string; readonly json: boolean };

export function addArtifacts(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('artifacts')
    .description('List the artifacts of a run, or copy them to a folder')
    .argument('[run]', RUN_ARGUMENT, LAST_RUN)
    .option('-o, --out <dir>', 'copy the artifacts to this folder, with a subfolder per attempt')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (reference: string, { out, json }: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const id = await findRun(context, client, reference);
      const to = out === undefined ? undefined : resolve(context.cwd, out);
      const artifacts =
        to === undefined ? await client.artifacts(id) : await client.copyArtifacts(id, to);
      if (json) printJson(context, artifactsDocument(id, artifacts, to));
      else context.out(formatArtifacts(context, artifacts, to));
      finish(EXIT.ok);
    });
}

const HELP = `
Artifacts are files that an agent delivers besides its work. The agent writes them to the folder in
$SUPERVISOR_ARTIFACTS. Supervisor collects them when the run ends.

Example:
  supervisor artifacts 3f2a91c04b --out ./from-the-agent`;

function formatArtifacts(
  context: CliContext,
  { files, refused }: RunArtifacts,
  to: string | undefined,
): string {
  const lines = files.map(
    ({ attempt, path, bytes }) => `${String(bytes).padStart(12)}  ${attempt}/${printable(path)}`,
  );
  const refusedLines = refused.map(({ attempt, path, why }) =>
    paint(context, 'yellow', `${'refused'.padStart(12)}  ${attempt}/${printable(path)}: ${why}`),
  );
  const count = plural(files.length, 'artifact');
  const end =
    to === undefined
      ? count
      : files.length === 0
        ? 'The run has no artifacts. Nothing was copied.'
        : `${count} copied to ${to}`;
  return [...lines, ...refusedLines, end, ''].join('\n');
}
