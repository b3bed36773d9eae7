import type { Command } from 'commander';
import { resolve } from 'node:path';
import type { RunArtifacts } from '../../protocol/api.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import { paint, printable } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { connectOwner } from '../connect-owner.ts';

type Options = { readonly out?: string; readonly json: boolean };

export function addArtifacts(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('artifacts')
    .description("List what a run's agents handed over besides their work, or copy it out")
    .argument('<run>', 'the run')
    .option('-o, --out <dir>', 'copy it into this folder, a part of it for each attempt')
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action(async (id: string, { out, json }: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const to = out === undefined ? undefined : resolve(context.cwd, out);
      const artifacts =
        to === undefined ? await client.artifacts(id) : await client.copyArtifacts(id, to);
      context.out(json ? `${JSON.stringify(artifacts)}\n` : listed(context, artifacts, to));
      finish(EXIT.ok);
    });
}

const HELP = `
An agent finds a folder for them in $SUPERVISOR_ARTIFACTS. They are taken over when the run ends.

Example:
  supervisor artifacts 3f2a91c04b --out ./from-the-agent`;

function listed(
  context: CliContext,
  { files, refused }: RunArtifacts,
  to: string | undefined,
): string {
  const lines = files.map(
    ({ attempt, path, bytes }) => `${String(bytes).padStart(12)}  ${attempt}/${printable(path)}`,
  );
  const not = refused.map(({ attempt, path, why }) =>
    paint(context, 'yellow', `${'refused'.padStart(12)}  ${attempt}/${printable(path)}: ${why}`),
  );
  const end =
    to === undefined ? `${files.length} artifacts` : `${files.length} artifacts copied to ${to}`;
  return [...lines, ...not, end, ''].join('\n');
}
