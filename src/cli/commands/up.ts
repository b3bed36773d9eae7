import type { Command } from 'commander';
import { Refusal, describeError, isRefusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { connect, stopOwner } from '../../client/connect.ts';
import { openInProcess, parseListen } from '../../client/in-process.ts';
import type { OwnerView } from '../../protocol/api.ts';
import type { DeclaredAgents } from '../../protocol/views/agent-view.ts';
import type { TrustRequest } from '../ask-trust.ts';
import { askForTrust, UNTRUSTED_OPTION } from '../ask-trust.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliContext } from '../cli-context.ts';
import type { CommandEnding } from '../command-line.ts';
import { projectDir } from '../project-path.ts';
import { stateHome, ownerOptions } from '../connect-owner.ts';

type Options = {
  readonly detach: boolean;
  readonly untrusted: boolean;
  readonly json: boolean;
  readonly listen?: string;
};

export function addUp(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('up')
    .description('Start the owner and keep it up, here or in the background')
    .option('-d, --detach', 'in the background; comes back when it is up', false)
    .option('--listen <address>', 'answer on a port of this machine too: 127.0.0.1:PORT, 0 for any')
    .option(...UNTRUSTED_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample: supervisor up --detach --listen 127.0.0.1:0')
    .action(async (options: Options) => {
      const { listen } = options;
      const tcp = listen === undefined ? undefined : parseListen(listen);
      const project = projectDir(context, undefined);
      const trust = await askForTrust(context, project, options);
      if (options.detach) {
        const { view, client } = await upInBackground(context, listen);
        say(context, view, options.json);
        const declared = await declare(context, client, project, trust);
        sayAgents(context, declared, options.json);
        return finish(EXIT.ok);
      }
      const log = (line: string): void => context.err(`${line}\n`);
      const { serving, client } = await openInProcess({
        ...ownerOptions(context, log),
        stays: true,
        tcp,
      });
      say(context, serving.owner.view(), options.json);
      await declare(context, client, project, trust)
        .then((declared) => sayAgents(context, declared, options.json))
        .catch((error: unknown) => log(`the agents of ${project}: ${describeError(error)}`));
      const asked = Promise.withResolvers<string>();
      const leave = context.onInterrupt(() => asked.resolve('a signal'));
      const reason = await Promise.race([serving.done, asked.promise]);
      if (!options.json) context.out(`Ending in order: ${reason}.\n`);
      await serving.close(reason);
      leave();
      finish(serving.owner.gaveUp ? EXIT.failed : EXIT.ok);
    });
}

/** Nobody's project is a whole home: then there is an owner, and no agents come up with it. */
async function declare(
  context: CliContext,
  client: Client,
  project: string,
  trust: TrustRequest,
): Promise<DeclaredAgents> {
  try {
    return await client.agents.declare(project, trust);
  } catch (error) {
    if (!isRefusal(error, 'workspace.unsupported')) throw error;
    context.err(`No agents come up here: ${error.message}\n`);
    return { started: [], kept: [], changed: [] };
  }
}

export function addDown(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('down')
    .description('End the owner in good order; runs that are going on wait for the next one')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample: supervisor down')
    .action(async ({ json }: { json: boolean }) => {
      const ended = await stopOwner(stateHome(context), context.clock);
      const words = ended ? 'The owner has ended.' : 'No owner is up.';
      context.out(json ? `${JSON.stringify({ ended })}\n` : `${words}\n`);
      finish(EXIT.ok);
    });
}

/** One that is up already, perhaps started by another command, is told to stay. */
async function upInBackground(
  context: CliContext,
  listen: string | undefined,
): Promise<{ readonly view: OwnerView; readonly client: Client }> {
  const { version, clock, env } = context;
  const wish = listen === undefined ? [] : ['--listen', listen];
  const ownerCommand = [...context.ownerCommand, '--stay', ...wish] as const;
  const client = await connect({ home: stateHome(context), version, clock, env, ownerCommand });
  const view = await client.stayOwner();
  if (listen === undefined || view.api !== null) return { view, client };
  throw new Refusal({
    code: 'owner.already-running',
    message: `An owner is up (pid ${view.pid}) and answers on its socket only.`,
    hint: `End it with: supervisor down; then: supervisor up --detach --listen ${listen}`,
  });
}

/** JSON is one value, that of the owner: the agents are told by `supervisor tree --json`. */
function sayAgents(
  context: CliContext,
  { started, kept, changed }: DeclaredAgents,
  json: boolean,
): void {
  if (json) return;
  for (const { name, run } of started) context.out(`${name} is summoned (${run}).\n`);
  if (kept.length > 0) context.out(`As they were: ${kept.join(', ')}.\n`);
  for (const name of changed)
    context.out(
      `${name} lives as it was declared before; to begin it anew: supervisor dismiss ${name}, then up.\n`,
    );
}

function say(context: CliContext, view: OwnerView, json: boolean): void {
  if (json) return context.out(`${JSON.stringify(view)}\n`);
  context.out(`The owner is up (pid ${view.pid}).\n`);
  if (view.api !== null)
    context.out(`It answers on ${view.api}; its token stands in ${stateHome(context).apiToken}\n`);
}
