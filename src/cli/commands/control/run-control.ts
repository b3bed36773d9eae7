/** The commands that control a run: stop, kill, retry-now, next. */
import type { Command } from 'commander';
import type { CliContext } from '../../cli-context.ts';
import { connectOwner } from '../../connect-owner.ts';
import type { KeyOption } from '../../options.ts';
import { KEY_OPTION } from '../../options.ts';
import type { CommandEnding } from '../../command-line.ts';
import type { AllOptions } from '../../runs/find-runs.ts';
import { RUNS_ARGUMENT, withAllOptions } from '../../runs/find-runs.ts';
import { signalRuns } from '../../runs/signal-runs.ts';
import { EndWaits } from '../../runs/end-waits.ts';

type Options = KeyOption & AllOptions & { readonly json: boolean; readonly wait?: boolean };

export function addStop(program: Command, context: CliContext, finish: CommandEnding): void {
  const what = 'Stop a run. The agent gets a grace period to exit cleanly.';
  addEnding(program.command('stop').description(what), 'stop', context, finish);
}

export function addKill(program: Command, context: CliContext, finish: CommandEnding): void {
  const what = 'Kill a run and all its processes at once';
  addEnding(program.command('kill').description(what), 'kill', context, finish);
}

function addEnding(
  command: Command,
  kind: 'stop' | 'kill',
  context: CliContext,
  finish: CommandEnding,
): void {
  withAllOptions(command, `${kind} all runs that have not ended`)
    .argument('[runs...]', RUNS_ARGUMENT)
    .option('--no-wait', 'return at once instead of waiting for the end')
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', `\nExamples:\n  supervisor ${kind} last\n  supervisor ${kind} --all`)
    .action(async (references: readonly string[], options: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      finish(
        await signalRuns(
          context,
          client,
          references,
          options,
          (id, key) => client.signal(id, { kind }, key),
          options.wait === false
            ? undefined
            : (signalled) => new EndWaits({ client }).end(signalled),
        ),
      );
    });
}

export function addRetryNow(program: Command, context: CliContext, finish: CommandEnding): void {
  addNudge(
    program
      .command('retry-now')
      .description('Retry at once instead of waiting for a retry delay or a provider limit')
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
      .description('Stop the current agent of a run and continue with the next one of the chain')
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
  withAllOptions(command, 'all runs that have not ended')
    .argument('[runs...]', RUNS_ARGUMENT)
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .action(async (references: readonly string[], options: Options) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      finish(
        await signalRuns(context, client, references, options, (id, key) =>
          client.signal(id, { kind }, key),
        ),
      );
    });
}
