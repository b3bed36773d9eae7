/** The commands that control a run: stop, kill, retry-now, next, resume. */
import { plural } from '../../base/text.ts';
import { Option } from 'commander';
import type { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { foldRunView } from '../../protocol/views/run-view.ts';
import { statusText } from '../../protocol/views/run-status.ts';
import type { CliContext } from '../cli-context.ts';
import { connectOwner } from '../connect-owner.ts';
import type { KeyOption } from '../options.ts';
import { withKeyOption } from '../options.ts';
import type { CommandEnding } from '../command-line.ts';
import type { AllOptions } from '../find-runs.ts';
import { RUN_ARGUMENT, RUNS_ARGUMENT, findRunToChange, withAllOptions } from '../find-runs.ts';
import { statusDocument } from '../../public-json/status-document.ts';
import { printJson } from '../print-json.ts';
import { signalRuns, signalledRun } from '../signal-runs.ts';
import { watchRun } from '../watch-run.ts';

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
  withAllOptions(withKeyOption(command), `${kind} all runs that have not ended`)
    .argument('[runs...]', RUNS_ARGUMENT)
    .option('--no-wait', 'return at once instead of waiting for the end')
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
          options.wait === false ? undefined : (signalled) => waitForEnd(client, signalled),
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
  withAllOptions(withKeyOption(command), 'all runs that have not ended')
    .argument('[runs...]', RUNS_ARGUMENT)
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

/** The owner may end with the run, so this makes no request after the last event. */
async function waitForEnd(client: Client, signalled: RunView): Promise<RunView> {
  let view = signalled;
  if (view.outcome !== null) return view;
  for await (const event of client.followRun(view.id, view.seq)) {
    view = foldRunView(view, event) ?? view;
  }
  return view;
}

type ResumeOptions = KeyOption & {
  readonly json: boolean;
  readonly detach: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  readonly jsonStream: boolean;
};

export function addResume(program: Command, context: CliContext, finish: CommandEnding): void {
  withKeyOption(program.command('resume'))
    .description(
      'Watch an active run, give it the keys that it waits for, or continue one that was stopped or has failed',
    )
    .argument('[run]', `${RUN_ARGUMENT}; without it, resume and list all runs that have not ended`)
    .option('-d, --detach', 'return at once instead of watching the run', false)
    .option('--verbose', 'show internal steps too, such as the cost of each model call', false)
    .option('-q, --quiet', 'show no progress, only the result', false)
    .option('--json', 'print the result as JSON; --json=stream also prints each event', false)
    .addOption(new Option('--json-stream').hideHelp().default(false))
    .action(async (id: string | undefined, given: ResumeOptions) => {
      const options = { ...given, json: given.json || given.jsonStream };
      // An owner that starts resumes every run that has not ended, so connecting is enough.
      await using connection = await connectOwner(context);
      const { client } = connection;
      if (id === undefined) {
        const views = await client.runs({ ended: false });
        if (options.json) {
          printJson(context, statusDocument(views.map(signalledRun)));
          return finish(0);
        }
        context.out(`${plural(views.length, 'active run')}\n`);
        for (const view of views) context.out(`${view.id}  ${statusText(view)}\n`);
        return finish(0);
      }
      const run = await findRunToChange(context, client, id);
      const view = await client.resume(run, given.idempotencyKey);
      const json = given.jsonStream ? 'stream' : options.json;
      if (!options.detach) {
        const { verbose, quiet } = given;
        return finish(await watchRun(context, connection, view, { json, verbose, quiet }));
      }
      if (options.json) printJson(context, statusDocument([signalledRun(view)]));
      else context.out(`${view.id}\n`);
      finish(0);
    });
}
