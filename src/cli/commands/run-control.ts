/** The commands that act on a run which is going on: stop, kill, retry-now, next, resume. */
import { Option } from 'commander';
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView, statusText } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { connectOwner } from '../connect-owner.ts';
import type { KeyOption } from '../options.ts';
import { withKeyOption } from '../options.ts';
import type { CommandEnding } from '../command-line.ts';
import { watchRun } from '../watch-run.ts';

type Options = KeyOption & { readonly json: boolean; readonly wait?: boolean };

export function addStop(program: Command, context: CliContext, finish: CommandEnding): void {
  const what = 'Ask a run to end; its agent has a grace to end well';
  addEnding(program.command('stop').description(what), 'stop', context, finish);
}

export function addKill(program: Command, context: CliContext, finish: CommandEnding): void {
  const what = 'End a run now, with every process of it';
  addEnding(program.command('kill').description(what), 'kill', context, finish);
}

function addEnding(
  command: Command,
  kind: 'stop' | 'kill',
  context: CliContext,
  finish: CommandEnding,
): void {
  withKeyOption(command)
    .argument('<run>', 'the run')
    .option('--no-wait', 'come back at once instead of when it has ended')
    .option('--json', 'print JSON', false)
    .action(async (id: string, options: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      const asked = await client.signal(id, { kind }, options.idempotencyKey);
      const view = options.wait === false ? asked : await ended(client, asked);
      context.out(options.json ? `${JSON.stringify(view)}\n` : `${view.id}  ${statusText(view)}\n`);
      finish(0);
    });
}

export function addRetryNow(program: Command, context: CliContext, finish: CommandEnding): void {
  addNudge(
    program
      .command('retry-now')
      .description('End what a run waits for: a retry, or a limit, is tried at once')
      .addHelpText('after', '\nExample:\n  supervisor retry-now 0123456789'),
    'retry-now',
    context,
    finish,
  );
}

export function addNext(program: Command, context: CliContext, finish: CommandEnding): void {
  addNudge(
    program
      .command('next')
      .description('Let the next agent of the chain go on; the one at work is asked to end')
      .addHelpText('after', '\nExample:\n  supervisor next 0123456789'),
    'next',
    context,
    finish,
  );
}

function addNudge(
  command: Command,
  kind: 'retry-now' | 'next',
  context: CliContext,
  finish: CommandEnding,
): void {
  withKeyOption(command)
    .argument('<run>', 'the run')
    .option('--json', 'print JSON', false)
    .action(async (id: string, options: Options) => {
      await using connection = await connectOwner(context);
      const view = await connection.client.signal(id, { kind }, options.idempotencyKey);
      context.out(options.json ? `${JSON.stringify(view)}\n` : `${view.id}  ${statusText(view)}\n`);
      finish(0);
    });
}

/** The owner may end with the run, so nothing is asked of it after the last fact. */
async function ended(client: Client, asked: RunView): Promise<RunView> {
  let view = asked;
  if (view.outcome !== null) return view;
  for await (const event of client.followRun(view.id, view.seq)) {
    view = foldRunView(view, event) ?? view;
  }
  return view;
}

type ResumeOptions = Options & { readonly detach: boolean; readonly jsonStream: boolean };

export function addResume(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('resume'))
    .description(
      'Go on with a run: watch one that is going on, or take up one that was stopped or failed',
    )
    .argument('[run]', 'the run; without it, every run that has not ended is taken up, and listed')
    .option('-d, --detach', 'come back at once', false)
    .option('--json', 'print JSON; --json=stream: the facts of the run too', false)
    .addOption(new Option('--json-stream').hideHelp().default(false))
    .action(async (id: string | undefined, given: ResumeOptions) => {
      const options = { ...given, json: given.json || given.jsonStream };
      // Reaching the owner is what resumes: one that starts takes up everything that has not ended.
      await using connection = await connectOwner(context);
      const { client } = connection;
      if (id === undefined) {
        const views = await client.runs({ ended: false });
        context.out(options.json ? `${JSON.stringify(views)}\n` : `${views.length} going on\n`);
        for (const view of options.json ? [] : views)
          context.out(`${view.id}  ${statusText(view)}\n`);
        return finish(0);
      }
      const view = await client.resume(id, given.idempotencyKey);
      const wish = given.jsonStream ? 'stream' : options.json;
      if (!options.detach) return finish(await watchRun(context, connection, view, { json: wish }));
      context.out(options.json ? `${JSON.stringify(view)}\n` : `${view.id}\n`);
      finish(0);
    });
}
