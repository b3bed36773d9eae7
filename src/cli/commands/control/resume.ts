import { Option } from 'commander';
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import { plural } from '../../../base/text.ts';
import type { Client } from '../../../client/client.ts';
import { statusText } from '../../../protocol/views/run-status.ts';
import { statusDocument } from '../../../public-json/status-document.ts';
import { chooseResumable } from '../../runs/choose-resumable.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import { EXIT } from '../../exit-codes.ts';
import { RUN_ARGUMENT, findRunToChange } from '../../runs/find-runs.ts';
import type { KeyOption } from '../../options.ts';
import { KEY_OPTION } from '../../options.ts';
import { printJson } from '../../json/print-json.ts';
import { currentProject } from '../../input/project-path.ts';
import { resumeAll } from '../../runs/resume-all.ts';
import type { ChangeOptions } from '../../runs/resume-options.ts';
import { changesOf, withChangeOptions } from '../../runs/resume-options.ts';
import { describeLeft, describeOtherKeyless } from '../../runs/describe-left.ts';
import { EarlyInterrupt } from '../../watch/early-interrupt.ts';
import { showContinued } from '../../watch/show-continued.ts';
import { signalledRun } from '../../runs/signal-runs.ts';
import { stepName } from '../../runs/step-name.ts';

type Options = KeyOption &
  ChangeOptions & {
    readonly json: boolean;
    readonly all: boolean;
    readonly everywhere: boolean;
    readonly yes: boolean;
    readonly from?: string;
    readonly detach: boolean;
    readonly verbose: boolean;
    readonly quiet: boolean;
    readonly jsonStream: boolean;
  };

/** So many of the newest runs of a project are searched for one that can be resumed. */
const SEARCHED_MAX = 1000;

export function addResume(program: Command, context: CliContext, finish: CommandEnding): void {
  const command = program
    .command('resume')
    .description(
      'Continue a run that was stopped or has failed, give a run the keys that it waits for, or watch an active one',
    )
    .argument(
      '[run]',
      `${RUN_ARGUMENT}; without it, the last run of this project that can be resumed`,
    );
  withChangeOptions(command)
    .optionsGroup('How the command behaves:')
    .option('--from <step>', 'of a workflow: do this step again, and those after it', stepName)
    .option(
      '--all',
      'all runs of this project that wait for a key or ended for an outside reason',
      false,
    )
    .option('--everywhere', 'with --all: in all projects', false)
    .option('-y, --yes', 'with --all: resume them without asking', false)
    .option('-d, --detach', 'return at once instead of watching the run', false)
    .option('--verbose', 'show internal steps too, such as the cost of each model call', false)
    .option('-q, --quiet', 'show no progress, only the result', false)
    .option(...KEY_OPTION)
    .option('--json', 'print the result as JSON; --json=stream also prints each event', false)
    .addOption(new Option('--json-stream').hideHelp().default(false))
    .addHelpText('after', HELP)
    .action(async (reference: string | undefined, given: Options) => {
      const options = { ...given, json: given.json || given.jsonStream };
      // An owner that starts resumes every run that has not ended, so connecting is enough.
      await using connection = await connectOwner(context);
      const { client } = connection;
      if (given.all) {
        if (reference !== undefined) throw allAndOne();
        if (given.from !== undefined) throw allAndFrom();
        const { json } = options;
        const changes = changesOf(given);
        const { yes, everywhere, idempotencyKey } = given;
        const all = { yes, everywhere, json, changes, ...defined({ idempotencyKey }) };
        return finish(await resumeAll(context, client, all));
      }
      if (given.everywhere) throw everywhereAlone();
      const run =
        reference === undefined
          ? await findResumable(context, client, options.json)
          : await findRunToChange(context, client, reference);
      if (run === undefined) return finish(EXIT.ok);
      const changes = { ...changesOf(given), ...defined({ from: given.from }) };
      const before = await client.statusOf(run);
      if (!options.json && before.view.open.some(({ about }) => about === 'keys'))
        context.err(describeOtherKeyless(run, await client.runs({ ended: false })));
      using early = new EarlyInterrupt(context);
      const view = await early.during(() => client.resume(run, given.idempotencyKey, changes));
      if (view.id !== run && !options.json) {
        const now = await early.unlessInterrupted(() => client.statusOf(view.id));
        if (now !== undefined) context.err(describeLeft(before, now, context.clock.now()));
      }
      finish(await showContinued(context, connection, { run, view }, options, early));
    });
}

function allAndOne(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--all and the name of a run cannot be used together.',
    hint: 'Name one run, or use --all.',
  });
}

function everywhereAlone(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--everywhere needs --all.',
    hint: 'Use both to mean all runs of all projects.',
  });
}

function allAndFrom(): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: '--all and --from cannot be used together.',
    hint: 'Name one run, such as: supervisor resume last --from implement',
  });
}

const HELP = `
A run that was stopped or has failed continues as a new run. Ctrl-C stops that run, and a second Ctrl-C kills it. If
the run is active, this command only watches it: q or Ctrl-C leaves, and the run continues.
A run that continues without a change often ends in the same way. So change what ended it: the options hold for the
new run. The agents use the keys of the shell in which you type this command.

Examples:
  supervisor resume
  supervisor resume --all --everywhere
  supervisor resume 0123456789 --detach
  supervisor resume 0123456789 --deadline 2h
  supervisor resume 0123456789 --from implement
  supervisor resume 0123456789 -m "Leave the public API as it is." --agent codex`;

/** Undefined: there is none, and the active runs are listed. Refuses if there is no active run, either. */
async function findResumable(
  context: CliContext,
  client: Client,
  json: boolean,
): Promise<string | undefined> {
  const project = currentProject(context);
  const choice = chooseResumable(await client.runs({ project, limit: SEARCHED_MAX }));
  if (choice.kind === 'run') {
    context.err(printable(`Resuming run ${choice.id}: ${choice.why}\n`));
    return choice.id;
  }
  const active = await client.runs({ ended: false });
  if (active.length === 0)
    throw new Refusal({
      code: 'run.already-ended',
      message: `No run of ${project} can be resumed: ${choice.why}.`,
      hint: 'List the runs with: supervisor status --all',
    });
  if (json) {
    printJson(context, statusDocument(active.map(signalledRun)));
    return undefined;
  }
  context.err(printable(`No run of ${project} has to be resumed: ${choice.why}.\n`));
  context.out(`${plural(active.length, 'active run')}\n`);
  for (const view of active) context.out(`${view.id}  ${statusText(view)}\n`);
  return undefined;
}
