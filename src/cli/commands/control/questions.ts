/** The commands with which a person decides about a run: inbox, answer, pause, unpause. */
import type { Command } from 'commander';
import { defined } from '../../../base/defined.ts';
import { Refusal } from '../../../base/errors.ts';
import type { Client } from '../../../client/client.ts';
import { adviceToAnswerRun, questionWords } from '../../../protocol/views/question-words.ts';
import { openQuestions } from '../../../protocol/views/questions-of-run.ts';
import { BUDGET_CHOICES } from '../../../protocol/views/money-question.ts';
import { runStatus } from '../../../protocol/views/run-status.ts';
import type { CliContext } from '../../cli-context.ts';
import { printable } from '../../cli-context.ts';
import { formatInbox } from '../../format/inbox-text.ts';
import type { KeyOption } from '../../options.ts';
import { tokens, usd, KEY_OPTION } from '../../options.ts';
import type { CommandEnding } from '../../command-line.ts';
import { connectOwner } from '../../connect-owner.ts';
import type { AllOptions } from '../../runs/find-runs.ts';
import {
  RUN_ARGUMENT,
  RUNS_ARGUMENT,
  findRunToChange,
  withAllOptions,
} from '../../runs/find-runs.ts';
import { inboxDocument } from '../../../public-json/reading-documents.ts';
import { statusDocument } from '../../../public-json/status-document.ts';
import { printJson } from '../../json/print-json.ts';
import { signalRuns, signalledRun } from '../../runs/signal-runs.ts';

type Options = KeyOption & { readonly json: boolean };
type AnswerOptions = { readonly budgetUsd?: number; readonly budgetTokens?: number };

export function addInbox(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('inbox')
    .description('List the open questions of all runs, oldest first')
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExample:\n  supervisor inbox')
    .action(async ({ json }: Options) => {
      await using connection = await connectOwner(context);
      const questions = await connection.client.inbox();
      if (json) printJson(context, inboxDocument(questions));
      else context.out(formatInbox(context, questions));
      finish(0);
    });
}

export function addAnswer(program: Command, context: CliContext, finish: CommandEnding): void {
  program
    .command('answer')
    .description('Answer the question of a run')
    .argument('<run>', RUN_ARGUMENT)
    .argument('[answer]', 'one of the choices that inbox shows, or any text if it shows none')
    .option(
      '--budget-usd <amount>',
      'with continue: raise a budget in US dollars by this amount (default: by as much again)',
      usd,
    )
    .option(
      '--budget-tokens <count>',
      'with continue: raise a budget in tokens by this number; with cap: allow this many in all',
      tokens,
    )
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText('after', ANSWER_HELP)
    .action(
      async (
        reference: string,
        choice: string | undefined,
        { budgetUsd, budgetTokens, json, idempotencyKey }: Options & AnswerOptions,
      ) => {
        await using connection = await connectOwner(context);
        const more = defined({ budgetUsd, budgetTokens });
        const id = await findRunToChange(context, connection.client, reference);
        if (choice === undefined) throw await noAnswer(connection.client, id);
        const view = await connection.client.answer(id, { choice, ...more }, idempotencyKey);
        if (json) printJson(context, statusDocument([signalledRun(view)]));
        else context.out(`${view.id}  ${runStatus(view)}\n`);
        finish(0);
      },
    );
}

/** The question again, because the person may not have it on the screen. */
async function noAnswer(client: Client, run: string): Promise<Refusal> {
  const view = await client.run(run);
  const [asked] = openQuestions(view);
  const question =
    asked === undefined ? 'It asks nothing.' : `Its question: ${questionWords(run, asked)}`;
  return new Refusal({
    code: 'usage.invalid',
    message: `The answer to run ${run} is missing. ${printable(question)}`,
    hint: adviceToAnswerRun(view) ?? 'To see all open questions: supervisor inbox',
  });
}

const ANSWER_HELP = `
The inbox shows the answers to each question.
  A budget is spent:   ${BUDGET_CHOICES.spent.join(', ')}.
  A price is unknown:  ${BUDGET_CHOICES['price-unknown'].join(', ')}.
  A key is missing:    retry, stop. To give the key and answer retry at once: supervisor resume RUN.
  An agent asks:       any text.

An answer with which the run continues gives it the keys of your shell. If they are not enough, nothing is answered.

Examples:
  supervisor answer d86c57e7ac continue --budget-usd 2.50
  supervisor answer d86c57e7ac continue --budget-tokens 500000
  supervisor answer d86c57e7ac cap --budget-tokens 2000000
  supervisor answer d86c57e7ac stop`;

export function addPause(program: Command, context: CliContext, finish: CommandEnding): void {
  const what = 'Pause a run. Nothing new starts, and the next model call waits.';
  addHold(program.command('pause').description(what), 'pause', context, finish);
}

export function addUnpause(program: Command, context: CliContext, finish: CommandEnding): void {
  addHold(
    program.command('unpause').description('Continue a paused run'),
    'unpause',
    context,
    finish,
  );
}

function addHold(
  command: Command,
  kind: 'pause' | 'unpause',
  context: CliContext,
  finish: CommandEnding,
): void {
  withAllOptions(command, `${kind} all runs that have not ended`)
    .argument('[runs...]', RUNS_ARGUMENT)
    .option(...KEY_OPTION)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      `\nExamples:\n  supervisor ${kind} d86c57e7ac\n  supervisor ${kind} --all`,
    )
    .action(async (references: readonly string[], options: Options & AllOptions) => {
      await using connection = await connectOwner(context);
      const { client } = connection;
      finish(
        await signalRuns(context, client, references, options, (id, key) =>
          client.signal(id, { kind }, key),
        ),
      );
    });
}
